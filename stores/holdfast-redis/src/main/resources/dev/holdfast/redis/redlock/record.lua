-- A node's record of a lock; put in front of scripts that show or remove it.

local KINDS = { MUTEX = true, ELECTION = true }

-- Its fields, or an error if a join cannot have written them.
local function read(lock)
  local held = redis.call('HMGET', lock, 'id', 'kind', 'owner', 'token', 'since', 'value', 'last')
  local sound = held[1] and KINDS[held[2]]
    and string.match(held[3] or '', '^[^;]*;%-?%d+;[^;]*;[^;]*;[^;]*$')
    and string.match(held[4] or '0', '^%d+$')
    and string.match(held[5] or '', '^%d+$')
    and string.match(held[7] or '0', '^%d+$')
    and string.match(string.sub(held[6] or '', 1, 16), '^%d+$') and #held[6] >= 16
  if not sound and redis.call('EXISTS', lock) == 1 then
    error('RECORD', 0)
  end
  return held
end

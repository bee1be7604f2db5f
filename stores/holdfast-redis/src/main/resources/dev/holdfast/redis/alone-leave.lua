-- Most locks are released while nobody else has anything to do with them. Frees such a one at once; everything else is
-- left to what follows, also where a server that lacks memory refuses the HSET. The records are those of records.lua.
-- KEYS and ARGV as in leave.lua.

local plain = #ARGV == 2 and ARGV[2] == '0 0'
if plain then
  ahead = redis.call('HGET', KEYS[1], 'lock')
  local claim = 57 + #ARGV[1]
  if ahead and string.sub(ahead, 56, claim - 1) == ARGV[1] .. ' ' and string.sub(ahead, 1, 4) == '3 a '
    and string.sub(ahead, 5, 20) + string.sub(ahead, claim, claim + 13) > now then
    local saved = redis.pcall('HSET', KEYS[1], 'lock', '3 f ' .. string.sub(ahead, 22, 54))
    if type(saved) ~= 'table' then
      return 'left'
    end
  end
end

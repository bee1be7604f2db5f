-- Whoever was let in asks once, mostly while nobody else has anything to do with the lock, and a claim that is renewed
-- is mostly as it was. Arms the ttl of such a one; everything else is left to what follows, also where a server that
-- lacks memory refuses the HSET, or has to be told to keep the lock for longer. The records are those of records.lua.
-- KEYS and ARGV as in refresh.lua.

if #ARGV == 2 then
  ahead = redis.call('HGET', KEYS[1], 'lock')
  local claim = 57 + #ARGV[1]
  if ahead and string.sub(ahead, 56, claim - 1) == ARGV[1] .. ' ' and string.sub(ahead, 1, 4) == '3 a '
    and string.sub(ahead, claim + 47) == string.sub(ARGV[2], 48) and string.sub(ARGV[2], 48, 49) == '0 '
    and string.sub(ahead, 5, 20) + string.sub(ahead, claim, claim + 13) > now
    and string.sub(ahead, 39, 54) - string.sub(ARGV[2], 1, 14) >= now
    and now - string.sub(ARGV[2], 31, 46) >= 0 and now - string.sub(ahead, 22, 37) >= 0 then
    local saved = redis.pcall('HSET', KEYS[1], 'lock', '3 a ' .. stamp .. string.sub(ahead, 21, claim - 1) .. ARGV[2])
    if type(saved) ~= 'table' then
      return 'granted ' .. string.sub(ahead, 22, 37)
    end
  end
end

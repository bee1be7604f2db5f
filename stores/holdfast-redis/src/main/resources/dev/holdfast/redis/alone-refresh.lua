-- Whoever was let in asks once, mostly while nobody else has anything to do with the lock, and a claim that is renewed
-- is mostly as it was. Arms the ttl of such a one; everything else is left to what follows, also where a server that
-- lacks memory refuses the HSET, or has to be told to keep the lock for longer. The records are those of records.lua.
-- KEYS and ARGV as in refresh.lua.

if #ARGV == 2 then
  ahead = redis.call('HGET', KEYS[1], 'lock')
  if ahead and string.sub(ahead, 56, 56 + #ARGV[1]) == ARGV[1] .. ' ' and string.sub(ahead, 1, 4) == '3 a '
    and string.sub(ahead, 5, 20) - now > 0 and string.sub(ARGV[2], 48, 49) == '0 '
    and string.sub(ahead, 104 + #ARGV[1]) == string.sub(ARGV[2], 48) then
    local till = now + string.sub(ARGV[2], 1, 14)
    if string.sub(ahead, 39, 54) - till >= 0 then
      local saved = redis.pcall('HSET', KEYS[1], 'lock', '3 a ' .. string.format('%016.0f', till)
        .. string.sub(ahead, 21, 56 + #ARGV[1]) .. ARGV[2])
      if type(saved) ~= 'table' then
        return 'granted ' .. string.sub(ahead, 22, 37)
      end
    end
  end
end

-- A mutex is mostly passed on to the only one that waits. Lets it in and tells its client, as promote in queue.lua
-- does; everything else is left to what follows. The records are those of records.lua.
-- KEYS and ARGV as in leave.lua; behind alone-leave.lua.

if plain and ahead and string.sub(ahead, 97, 97 + #ARGV[1]) == ARGV[1] .. ' ' and string.sub(ahead, 1, 4) == '3 p '
  and string.sub(ahead, 5, 20) - now > 0 and string.sub(ahead, 56, 71) - now > 0
  and now - string.sub(ahead, 22, 37) > 0 then
  local from = 98 + string.sub(ahead, 90, 95)
  local blank = string.find(ahead, ' ', from, true)
  local channel = blank and string.sub(ahead, blank + 48, blank + 59) == '0 MUTEX 1 1 '
    and now - string.sub(ahead, blank + 31, blank + 46) > 0 and string.match(ahead, '^%S+', blank + 60)
  if channel then
    local saved = redis.pcall('HSET', KEYS[1], 'lock', '3 a ' .. string.sub(ahead, 56, 72) .. stamp
      .. string.sub(ahead, 38, 55) .. string.sub(ahead, from))
    if type(saved) ~= 'table' then
      redis.call('PUBLISH', channel, KEYS[1])
      return 'left'
    end
  end
end

-- A mutex is mostly passed on to the only one that waits. Lets it in and tells its client, as promote in queue.lua
-- does; everything else is left to what follows. The records are those of records.lua.
-- KEYS and ARGV as in leave.lua; behind alone-leave.lua.

local claim = 98 + #ARGV[1]
if plain and ahead and string.sub(ahead, 97, claim - 1) == ARGV[1] .. ' ' and string.sub(ahead, 1, 4) == '3 p '
  and string.sub(ahead, 5, 20) + string.sub(ahead, claim, claim + 13) > now and now - string.sub(ahead, 22, 37) > 0 then
  local from = 98 + string.sub(ahead, 90, 95)
  local blank = string.find(ahead, ' ', from, true)
  if blank and string.sub(ahead, blank + 48, blank + 59) == '0 MUTEX 1 1 ' then
    local till = string.sub(ahead, 56, 71) + string.sub(ahead, blank + 16, blank + 29)
    local armed = till - string.sub(ahead, blank + 1, blank + 14)
    if till > now and armed > 0 and now - string.sub(ahead, blank + 31, blank + 46) > 0 then
      local saved = redis.pcall('HSET', KEYS[1], 'lock', '3 a ' .. string.format('%016.0f', armed) .. ' ' .. stamp
        .. string.sub(ahead, 38, 55) .. string.sub(ahead, from))
      if type(saved) ~= 'table' then
        redis.call('PUBLISH', string.match(ahead, '^%S+', blank + 60), KEYS[1])
        return 'left'
      end
    end
  end
end

-- Most locks are taken while nobody has anything to do with them. Grants at once; everything else is left to what
-- follows. The records are those of queue.lua; short texts and few numbers, since Lua looks at each character of
-- a text that it makes, and writing a number costs as much as a command.
-- KEYS and ARGV as in join.lua.

local record = redis.call('HGET', KEYS[1], 'lock')
local last, kept = 0, 0
if record then
  last, kept = string.match(record, '^2 f (%d+) (%d+)$')
end
local ttl, floor = string.match(ARGV[2], '^(%d+) 0 (%d+) ')

if last and ttl then
  local time = redis.call('TIME')
  local now = time[1] * 1000000 + time[2]
  if now - last > 0 and now - floor > 0 then
    local till = now + ttl
    local longer = till - kept > 0
    if longer then
      kept = string.format('%.0f', till + 600000000)
    end
    local token = string.format('%.0f', now)
    local saved = redis.pcall('HSET', KEYS[1], 'lock',
      '2 a ' .. string.format('%.0f', till) .. ' ' .. token .. ' ' .. kept .. ' ' .. ARGV[1] .. ' ' .. ARGV[2])
    if type(saved) == 'table' then
      return { { 'error', saved.err } }
    end
    if longer then
      redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', kept / 1000 + 3600000))
    end
    return 'granted ' .. token
  end
end

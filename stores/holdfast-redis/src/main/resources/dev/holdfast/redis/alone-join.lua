-- Most locks are taken while nobody has anything to do with them: then there are no records of claims. Grants at
-- once; everything else is left to what follows. The records are those of queue.lua.
-- KEYS and ARGV as in join.lua.

local record = redis.call('HGET', KEYS[1], 'lock')
local last, latest = 0, 0
if record then
  last, latest = string.match(record, '^1 %S+ %d+ (%d+) 0 0 0 %d+ (%d+) ')
end

if last then
  local kind, weight, ttl, floor, spares, rest =
    string.match(ARGV[2], '^(%S+ %d+) (%d+) (%d+) %d+ (%d+) (%d+) (.*)$')
  local time = redis.call('TIME')
  local now = time[1] * 1000000 + time[2]
  local token = math.max(last + 1, floor + 1, now)
  local till = now + ttl
  local kept = math.ceil(latest / 600000000)
  latest = math.max(latest, till, token + spares)

  -- Writing a number costs as much as a command, and most of these are the same.
  local since = string.format('%.0f', now)
  local granted = token == now and since or string.format('%.0f', token)
  local reserved = spares == '0' and granted or string.format('%.0f', token + spares)
  local ends = string.format('%.0f', till)
  local over = latest == till and ends or string.format('%.0f', latest)

  local lock = '1 ' .. kind .. ' ' .. reserved .. ' ' .. weight .. ' 1 1 ' .. ends .. ' ' .. over .. ' ' .. ARGV[1]
  local claim = 'g ' .. ends .. ' ' .. granted .. ' ' .. weight .. ' ' .. since .. ' ' .. floor .. ' ' .. rest
  local saved = redis.pcall('HSET', KEYS[1], 'lock', lock, '#' .. ARGV[1], claim)
  if type(saved) == 'table' then
    return { { 'error', saved.err } }
  end
  -- In the steps of keep in queue.lua: within one, the expiry stands since the record was written.
  if math.ceil(latest / 600000000) > kept then
    redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', math.ceil(latest / 600000000) * 600000 + 3600000))
  end
  local first = spares == '0' and '0' or string.format('%.0f', token + 1)
  return 'granted ' .. granted .. ' ' .. first .. ' ' .. spares
end

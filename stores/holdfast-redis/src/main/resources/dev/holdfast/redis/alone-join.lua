-- Most locks are taken while nobody has anything to do with them: then their hash holds no claim. Grants at once;
-- everything else is left to what follows. The records are those of queue.lua.
-- KEYS and ARGV as in join.lua.

local fields = redis.call('HLEN', KEYS[1])
local record = fields == 1 and redis.call('HGET', KEYS[1], 'lock')
local last, latest = string.match(record or '', '^1 %S+ %d+ (%d+) 0 0 %d+ (%d+) ')
if fields == 0 then
  last, latest = 0, 0
end

if last then
  local id, weight, floor, spares = ARGV[1], ARGV[4], ARGV[7], ARGV[8]
  local time = redis.call('TIME')
  local now = time[1] * 1000000 + time[2]
  local token = math.max(last + 1, floor + 1, now)
  local till = now + ARGV[5]
  latest = math.max(latest + 0, till, token + spares)

  -- Writing a number costs as much as a command, and most of these are the same.
  local written = {}
  local function text(number)
    written[number] = written[number] or string.format('%.0f', number)
    return written[number]
  end

  local lock = { '1', ARGV[2], ARGV[3], text(token + spares), weight, '1', text(till), text(latest), id }
  local claim = { 'g', text(till), text(token), weight, text(now), floor, ARGV[9], ARGV[10] .. ARGV[11] }
  local saved = redis.pcall('HSET', KEYS[1], 'lock', table.concat(lock, ' '), '#' .. id, table.concat(claim, ' '))
  if type(saved) == 'table' then
    return { { 'error', saved.err } }
  end
  redis.call('PEXPIREAT', KEYS[1], text(math.ceil(latest / 1000) + 3600000))
  return { { 'granted', text(token), spares == '0' and '0' or text(token + 1), spares } }
end


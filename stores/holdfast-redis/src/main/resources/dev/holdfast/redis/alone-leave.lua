-- Most locks are released while nobody else has anything to do with them. Frees such a one at once; everything else is
-- left to what follows. The records are those of queue.lua.
-- KEYS and ARGV as in leave.lua.

if #ARGV == 2 and ARGV[2] == '0 0' then
  local record = redis.call('HGET', KEYS[1], 'lock') or ''
  local till, last, id = string.match(record, '^2 a (%d+) (%d+ %d+) (%S+) ')
  local time = id == ARGV[1] and redis.call('TIME')
  if time and till - time[2] > time[1] * 1000000 then
    local saved = redis.pcall('HSET', KEYS[1], 'lock', '2 f ' .. last)
    if type(saved) == 'table' then
      -- A server that lacks memory refuses an HSET, but not after a write that takes none.
      redis.pcall('HDEL', KEYS[1], '')
      saved = redis.pcall('HSET', KEYS[1], 'lock', '2 f ' .. last)
    end
    return type(saved) == 'table' and { { 'error', saved.err } } or 'left'
  end
end

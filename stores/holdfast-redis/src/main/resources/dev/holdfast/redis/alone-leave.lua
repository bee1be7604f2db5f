-- Most locks are released while nobody else has anything to do with them: then there is the record of one claim.
-- Removes it at once; everything else is left to what follows. The records are those of queue.lua.
-- KEYS and ARGV as in leave.lua.

if #KEYS == 2 and ARGV[3] == '0' and ARGV[4] == '0' then
  local records = redis.call('HMGET', KEYS[1], 'lock', '#' .. ARGV[1])
  local till = string.match(records[2] or '', '^g (%d+) ')
  local past, future = string.match(records[1] or '', '^(1 %S+ %d+ %d+ )%d+ 1 1( %d+ %d+ .*)$')
  local time = redis.call('TIME')
  if till and past and till - time[2] > time[1] * 1000000 then
    -- First what takes no memory: a server that lacks it refuses an HSET, but not after another write.
    local removed = redis.pcall('HDEL', KEYS[1], '#' .. ARGV[1])
    if type(removed) == 'table' then
      return { { 'error', removed.err } }
    end
    redis.call('HSET', KEYS[1], 'lock', past .. '0 0 0' .. future)
    return 'left'
  end
end

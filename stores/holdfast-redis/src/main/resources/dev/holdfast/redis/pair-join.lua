-- A mutex is mostly waited for by one, behind a holder that is alone. Such a claim becomes the second in the lock's own
-- record; everything else is left to what follows. The records are those of records.lua.
-- KEYS and ARGV as in join.lua; behind alone-join.lua.

local blank = ahead and ARGV[3] == '1' and string.sub(ahead, 1, 4) == '3 a ' and string.find(ahead, ' ', 56, true)
if blank and string.sub(ahead, 56, blank - 1) ~= ARGV[1] and string.sub(ARGV[2], 48, 59) == '0 MUTEX 1 1 '
  and string.sub(ahead, blank + 48, blank + 59) == '0 MUTEX 1 1 ' and now - string.sub(ARGV[2], 31, 46) >= 0 then
  local left = string.sub(ahead, 5, 20) + string.sub(ahead, blank + 1, blank + 14) - now
  if left > 0 and string.sub(ahead, 39, 54) - string.sub(ARGV[2], 16, 29) >= now then
    local saved = redis.pcall('HSET', KEYS[1], 'lock', '3 p ' .. string.sub(ahead, 5, 55) .. stamp .. ' ' .. stamp
      .. string.format(' %06d', #ahead - 55) .. string.sub(ahead, 55) .. ' ' .. ARGV[1] .. ' ' .. ARGV[2])
    if type(saved) == 'table' then
      return { { 'error', saved.err } }
    end
    return 'queued 1 ' .. string.format('%.0f', left)
  end
end

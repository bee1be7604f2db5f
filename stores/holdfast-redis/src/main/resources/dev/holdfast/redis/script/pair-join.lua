-- Mostly a mutex is waited for by one claim, behind a holder that was alone. Such a claim becomes the second in the
-- lock's own record; everything else is left to the scripts behind. The records are those of records.lua.
-- KEYS and ARGV as in join.lua; behind alone-join.lua.

local blank = ahead and ARGV[3] == '1' and string.sub(ahead, {ALONE.SHAPE}) == '4 a '
  and string.find(ahead, ' ', {ALONE.ID}, true)
local held = blank and blank + 1 -- where the holder's claim begins, behind its id
if held and string.sub(ahead, {ALONE.ID}, blank - 1) ~= ARGV[1] and string.sub(ARGV[2], {CLAIM.MUTEX}) == '0 MUTEX 1 1 '
  and string.sub(ahead, {CLAIM.MUTEX + held}) == '0 MUTEX 1 1 ' and now - string.sub(ARGV[2], {CLAIM.FLOOR}) >= 0 then
  local left = string.sub(ahead, {ALONE.ARMED}) + string.sub(ahead, {CLAIM.TTL + held}) - now
  if left > 0 and string.sub(ahead, {ALONE.EXPIRY}) - string.sub(ARGV[2], {CLAIM.WAITING_TTL}) >= now then
    local holder = string.sub(ahead, {ALONE.ID})
    local saved = redis.pcall('HSET', KEYS[1], 'lock',
      '4 p ' .. string.sub(ahead, {ALONE.ARMED .. EXPIRY}) .. ' ' .. stamp .. ' ' .. stamp
      .. string.format(' %06d ', #holder) .. holder .. ' ' .. ARGV[1] .. ' ' .. ARGV[2])
    if type(saved) == 'table' then
      return { { 'error', saved.err } }
    end
    return 'queued 1 ' .. string.format('%.0f', left)
  end
end

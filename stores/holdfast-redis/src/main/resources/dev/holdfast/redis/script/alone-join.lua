-- Most locks are acquired while they are free and nobody waits. Grants such a claim at once; everything else is left to
-- the scripts behind. The records are those of records.lua; their fields are cut out by position, because that costs a
-- tenth of matching a pattern, and writing a number costs as much as a command.
-- KEYS and ARGV as in join.lua.

ahead = redis.call('HGET', KEYS[1], 'lock')
if string.sub(ARGV[2], {CLAIM.SPARES}) == '0 '
  and (not ahead or #ahead == {FREE.LENGTH} and string.sub(ahead, {FREE.SHAPE}) == '4 f ') then
  local last, expiry = 0, 0
  if ahead then
    last, expiry = string.sub(ahead, {FREE.LAST}), string.sub(ahead, {FREE.EXPIRY})
  end
  if now - last > 0 and now - string.sub(ARGV[2], {CLAIM.FLOOR}) > 0 then
    local ends = now + string.sub(ARGV[2], {CLAIM.TTL})
    local longer = ends - expiry > 0
    if longer then
      expiry = string.format('%016.0f', ends + {EXPIRY.STEP})
    end
    local saved = redis.pcall('HSET', KEYS[1], 'lock',
      '4 a ' .. stamp .. ' ' .. stamp .. ' ' .. expiry .. ' ' .. ARGV[1] .. ' ' .. ARGV[2])
    if type(saved) == 'table' then
      return { { 'error', saved.err } }
    end
    if longer then
      redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', expiry / 1000 + {EXPIRY.MILLIS}))
    end
    return 'granted ' .. stamp
  end
end

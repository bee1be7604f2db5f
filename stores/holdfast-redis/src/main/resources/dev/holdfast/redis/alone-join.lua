-- Most locks are taken while nobody has anything to do with them. Grants at once; everything else is left to what
-- follows. The records are those of records.lua. Their numbers stand at fixed places: cutting a text costs a tenth of
-- matching a pattern, and writing a number as much as a command.
-- KEYS and ARGV as in join.lua.

ahead = redis.call('HGET', KEYS[1], 'lock')
if string.sub(ARGV[2], 48, 49) == '0 ' and (not ahead or #ahead == 37 and string.sub(ahead, 1, 4) == '3 f ') then
  local last, kept = 0, 0
  if ahead then
    last, kept = string.sub(ahead, 5, 20), string.sub(ahead, 22, 37)
  end
  if now - last > 0 and now - string.sub(ARGV[2], 31, 46) > 0 then
    local till = now + string.sub(ARGV[2], 1, 14)
    local longer = till - kept > 0
    if longer then
      kept = string.format('%016.0f', till + 600000000)
    end
    local saved = redis.pcall('HSET', KEYS[1], 'lock',
      '3 a ' .. stamp .. ' ' .. stamp .. ' ' .. kept .. ' ' .. ARGV[1] .. ' ' .. ARGV[2])
    if type(saved) == 'table' then
      return { { 'error', saved.err } }
    end
    if longer then
      redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', kept / 1000 + 3600000))
    end
    return 'granted ' .. stamp
  end
end

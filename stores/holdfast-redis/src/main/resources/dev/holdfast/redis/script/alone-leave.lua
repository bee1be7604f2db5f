-- Most locks are released while nobody waits. Frees such a lock at once; everything else is left to the scripts behind,
-- also if a server without memory refuses the HSET. The records are those of records.lua.
-- KEYS and ARGV as in leave.lua.

local plain = #ARGV == 2 and ARGV[2] == '0 0'
if plain then
  ahead = redis.call('HGET', KEYS[1], 'lock')
  local claim = {ALONE.ID} + 1 + #ARGV[1]
  if ahead and string.sub(ahead, {ALONE.ID}, claim - 1) == ARGV[1] .. ' ' and string.sub(ahead, {ALONE.SHAPE}) == '4 a '
    and string.sub(ahead, {ALONE.ARMED}) + string.sub(ahead, {CLAIM.TTL + claim}) > now then
    local saved = redis.pcall('HSET', KEYS[1], 'lock', '4 f ' .. string.sub(ahead, {ALONE.LAST .. EXPIRY}))
    if type(saved) ~= 'table' then
      return 'left'
    end
  end
end

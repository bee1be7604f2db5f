-- Most claims that are renewed hold the lock while nobody waits, and have not changed. Restarts the ttl of such a
-- claim; everything else is left to the scripts behind, also if a server without memory refuses the HSET, or if the
-- server must be asked to keep the lock for longer. The records are those of records.lua.
-- KEYS and ARGV as in refresh.lua.

if #ARGV == 2 then
  ahead = redis.call('HGET', KEYS[1], 'lock')
  local claim = {ALONE.ID} + 1 + #ARGV[1]
  if ahead and string.sub(ahead, {ALONE.ID}, claim - 1) == ARGV[1] .. ' ' and string.sub(ahead, {ALONE.SHAPE}) == '4 a '
    and string.sub(ahead, {CLAIM.REST + claim}) == string.sub(ARGV[2], {CLAIM.REST})
    and string.sub(ARGV[2], {CLAIM.SPARES}) == '0 '
    and string.sub(ahead, {ALONE.ARMED}) + string.sub(ahead, {CLAIM.TTL + claim}) > now
    and string.sub(ahead, {ALONE.EXPIRY}) - string.sub(ARGV[2], {CLAIM.TTL}) >= now
    and now - string.sub(ARGV[2], {CLAIM.FLOOR}) >= 0 and now - string.sub(ahead, {ALONE.LAST}) >= 0 then
    local saved = redis.pcall('HSET', KEYS[1], 'lock',
      '4 a ' .. stamp .. ' ' .. string.sub(ahead, {ALONE.FROM_LAST}, claim - 1) .. ARGV[2])
    if type(saved) ~= 'table' then
      return 'granted ' .. string.sub(ahead, {ALONE.LAST})
    end
  end
end

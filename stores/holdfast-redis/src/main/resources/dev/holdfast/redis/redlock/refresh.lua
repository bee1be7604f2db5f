-- Restarts the ttl if the claim still holds the lock; never takes it.
-- KEYS: the node, locks. ARGV: for each claim, round or '' if no tokens are wanted, ttl in ms, value, floor.
-- A value begins with its order, 16 digits: of two values the later one counts.

local function replaces(new, old)
  return string.sub(new, 17) ~= string.sub(old, 17)
    and tonumber(string.sub(new, 1, 16)) > tonumber(string.sub(old, 1, 16))
end

return each(5, function(lock, from)
  local held = redis.call('HMGET', lock, 'id', 'token', 'lingers', 'value')
  if held[1] ~= ARGV[from + 1] or held[3] then
    return { 'gone' }
  end
  redis.call('PEXPIRE', lock, ARGV[from + 3])
  raise(ARGV[from + 5])
  -- A server without memory refuses to write, but not to renew.
  if ARGV[from + 2] ~= '' then
    redis.call('HSET', lock, 'round', ARGV[from + 2])
  end
  if replaces(ARGV[from + 4], held[4]) then
    redis.call('HSET', lock, 'value', ARGV[from + 4])
  end
  return { 'ours', node.c, held[2] or '0' }
end)

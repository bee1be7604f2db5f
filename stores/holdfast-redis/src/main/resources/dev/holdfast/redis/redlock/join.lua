-- The first phase: takes the lock on this node and reports the counter.
-- KEYS: the node, the lock. ARGV: claim, round, kind, owner, value, ttl in ms, floor.

if not unreadable() and not remembers() and not rests() then
  -- The rest starts when the node is first seen in this life. What it still remembers may be old.
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'format', '1', 'inc', life, 'born', text(now))
  node = { inc = life, born = text(now) }
end

local function join(lock)
  raise(ARGV[7])
  if redis.call('EXISTS', lock .. ':tombstone:' .. ARGV[1]) == 1 then
    return { 'tombstone' }
  end
  read(lock)
  local held = redis.call('HMGET', lock, 'id', 'kind', 'owner', 'token', 'lingers')
  if held[1] and (held[1] ~= ARGV[1] or held[5]) then
    local holder = redis.sha1hex(held[1]) -- an id is a secret
    return { held[2] == ARGV[3] and 'busy' or 'mismatch', holder, held[3], held[2] }
  end
  if not held[1] then
    redis.call('HSET', lock, 'id', ARGV[1], 'kind', ARGV[3], 'owner', ARGV[4], 'since', text(now))
  end
  redis.call('HSET', lock, 'round', ARGV[2], 'value', ARGV[5])
  redis.call('PEXPIRE', lock, ARGV[6])
  return { 'ours', node.c, held[4] or '0' }
end

return { abstention() or attempt(join, KEYS[2]) }

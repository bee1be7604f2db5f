-- The second phase: raises the counter to the last token of the grant, if the lock has been held since the first
-- phase. The round shows that it was not lost and taken again in between by a late first phase.
-- KEYS: the node, the lock. ARGV: claim, round, last token, the claim's token.

local function advance(lock)
  local held = redis.call('HMGET', lock, 'id', 'round')
  if held[1] ~= ARGV[1] or held[2] ~= ARGV[2] then
    return { 'gone' }
  end
  if tonumber(ARGV[3]) > tonumber(node.c) then
    redis.call('HSET', KEYS[1], 'c', ARGV[3])
  end
  redis.call('HSET', lock, 'token', ARGV[4], 'last', ARGV[3])
  return { 'ours' }
end

return { abstention() or advance(KEYS[2]) }

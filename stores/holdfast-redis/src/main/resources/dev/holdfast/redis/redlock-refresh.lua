-- Arms the ttl anew where the lock is still the claim's; never takes it.
-- KEYS: the node, locks. ARGV: for each claim, round, ttl in ms, value.

return each(4, function(lock, from)
  local held = redis.call('HMGET', lock, 'id', 'token', 'lingers')
  if held[1] ~= ARGV[from + 1] or held[3] then
    return { 'gone' }
  end
  redis.call('HSET', lock, 'round', ARGV[from + 2], 'value', ARGV[from + 4])
  redis.call('PEXPIRE', lock, ARGV[from + 3])
  return { 'ours', node.c, held[2] or '0' }
end)

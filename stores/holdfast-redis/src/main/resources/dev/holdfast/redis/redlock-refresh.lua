-- Arms the ttl anew where the lock is still the claim's; never takes it.
-- KEYS: the node, locks. ARGV: for each claim, round or '' if no tokens are to follow, ttl in ms, value.

return each(4, function(lock, from)
  local held = redis.call('HMGET', lock, 'id', 'token', 'lingers', 'value')
  if held[1] ~= ARGV[from + 1] or held[3] then
    return { 'gone' }
  end
  redis.call('PEXPIRE', lock, ARGV[from + 3])
  -- A server that is out of memory refuses to write, but not to renew.
  if ARGV[from + 2] ~= '' then
    redis.call('HSET', lock, 'round', ARGV[from + 2])
  end
  if held[4] ~= ARGV[from + 4] then
    redis.call('HSET', lock, 'value', ARGV[from + 4])
  end
  return { 'ours', node.c, held[2] or '0' }
end)

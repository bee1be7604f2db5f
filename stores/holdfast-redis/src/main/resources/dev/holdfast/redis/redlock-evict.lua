-- Frees a lock, whoever has it. The counter stays, so later tokens are still greater.
-- KEYS: the node, the lock.

return each(0, function(lock)
  local granted = redis.call('HEXISTS', lock, 'token') == 1
  redis.call('DEL', lock)
  return { granted and 'left' or 'gone' }
end)

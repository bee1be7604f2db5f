-- Frees a lock. The counter stays, so later tokens are still greater.
-- KEYS: the node, locks. ARGV: for each '0' to end any claim, or a token to end only the claim that has it.

return each(1, function(lock, from)
  local token = tonumber(ARGV[from + 1])
  read(lock)
  local held = redis.call('HMGET', lock, 'token', 'last')
  local first = tonumber(held[1] or 0)
  if token ~= 0 and (first == 0 or token < first or token > tonumber(held[2] or first)) then
    return { 'gone' }
  end
  redis.call('DEL', lock)
  return { first > 0 and 'left' or 'gone' }
end)

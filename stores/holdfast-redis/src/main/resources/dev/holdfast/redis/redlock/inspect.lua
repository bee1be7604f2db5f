-- The claims that hold locks on this node; changes nothing.
-- KEYS: the node, locks.

return each(0, function(lock)
  local held = read(lock)
  if not held[1] then
    return { 'gone' }
  end
  local since = text(math.max(0, now - tonumber(held[5])))
  local left = text(math.max(0, redis.call('PTTL', lock)) * 1000)
  return { 'held', redis.sha1hex(held[1]), held[2], held[3], held[4] or '0', since, left, held[6],
    held[7] or held[4] or '0' }
end)

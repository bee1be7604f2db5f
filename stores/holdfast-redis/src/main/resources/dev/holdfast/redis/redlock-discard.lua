-- Removes what a node has of a lock where that cannot be read.
-- KEYS: the node, locks.

return each(0, function(lock)
  if pcall(read, lock) then
    return { 'gone' }
  end
  redis.call('DEL', lock)
  return { 'left' }
end)

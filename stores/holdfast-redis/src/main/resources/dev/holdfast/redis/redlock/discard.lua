-- Removes a node's record of a lock if it cannot be read.
-- KEYS: the node, locks.

return each(0, function(lock)
  if pcall(read, lock) then
    return { 'gone' }
  end
  redis.call('DEL', lock)
  return { 'left' }
end)

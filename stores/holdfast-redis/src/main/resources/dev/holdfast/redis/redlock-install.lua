-- Ends the rest of a node that had forgotten all.
-- KEYS: the node. ARGV: the life in which it has rested, the counter, the longest ttl in ms.

local rested = not unreadable() and rests() and node.inc == ARGV[1]
if rested then
  redis.call('HSET', KEYS[1], 'c', ARGV[2], 'longest', ARGV[3])
end
return { { rested and 'ours' or 'gone' } }

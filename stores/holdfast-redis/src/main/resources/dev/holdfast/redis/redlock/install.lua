-- Gives a node that has rested its vote back.
-- KEYS: the node. ARGV: the server's life in which it has rested, the counter, the longest ttl in ms.

local rested = not unreadable() and rests() and node.inc == ARGV[1]
if rested then
  redis.call('HSET', KEYS[1], 'c', ARGV[2], 'longest', ARGV[3])
end
return { { rested and 'ours' or 'gone' } }

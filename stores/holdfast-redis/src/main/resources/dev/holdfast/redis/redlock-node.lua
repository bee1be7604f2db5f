-- What the node remembers; changes nothing.
-- KEYS: the node.

return { abstention() or { 'remembers', node.c, node.longest or '0', life, node.inc } }

-- What the node remembers. Changes nothing.
-- KEYS: the node.

return { abstention() or { 'remembers', node.c, node.longest or '0', life, node.inc } }

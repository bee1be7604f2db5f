-- Removes the record of a lock that the client could not read.
-- KEYS: the lock, its line. ARGV: '' for a digest of what is stored, or that digest: nothing else is removed.

local fields = redis.pcall('HGETALL', KEYS[1])
local stored = fields.err and 'not a hash' or redis.sha1hex(table.concat(fields, '\n'))
if ARGV[1] == '' then
  return { { 'stored', stored } }
end
if ARGV[1] ~= stored then
  return { { 'gone' } }
end
redis.call('DEL', KEYS[1], KEYS[2])
return { { 'left' } }

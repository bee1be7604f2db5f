-- Checks a token against those that the resource has seen; put in front of a script that writes.
-- The last key is the fence; the last two arguments are the token and whether it raises the fence. The rest
-- belongs to the script behind this.
-- Tokens may be greater than 2^53, where numbers in Lua are not exact: they are compared as text.

local fence = table.remove(KEYS)
local raises = table.remove(ARGV) == '1'
local token = table.remove(ARGV)
local seen = redis.call('GET', fence) or '0'

if #token < #seen or (#token == #seen and token < seen) then
  return { 'stale', seen }
end
if raises and token ~= seen then
  redis.call('SET', fence, token)
end

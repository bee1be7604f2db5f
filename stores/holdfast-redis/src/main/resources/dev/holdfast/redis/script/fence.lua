-- Checks a token against the fence; put in front of a script that writes.
-- The last key is the fence; the last two arguments are the token and whether it raises the fence. The rest
-- belongs to the script behind this.
-- Tokens may be greater than 2^53, beyond which numbers in Lua are not exact: they are compared as text.

local fence = table.remove(KEYS)
local raises = table.remove(ARGV) == '1'
local token = table.remove(ARGV)
local greatest = '2305843009213693952' -- 2^61
local seen = redis.pcall('GET', fence) or '0'

-- Anyone may have written the key: nothing passes if a fence could not have written its value.
if type(seen) == 'table' then
  if not string.find(seen.err, 'WRONGTYPE', 1, true) then
    return seen
  end
  return { 'damaged', 'another type than text' }
end
if not (seen == '0' or string.find(seen, '^[1-9]%d*$')) or #seen > #greatest
    or (#seen == #greatest and seen > greatest) then
  return { 'damaged', "'" .. string.gsub(string.sub(seen, 1, 40), '[^ -~]', '?') .. "'" }
end

if #token < #seen or (#token == #seen and token < seen) then
  return { 'stale', seen }
end
if raises and token ~= seen then
  redis.call('SET', fence, token)
end

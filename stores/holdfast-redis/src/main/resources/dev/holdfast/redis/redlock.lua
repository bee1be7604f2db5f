-- One node of a quorum of independent servers; put in front of every script about it.
-- KEYS[1] is the node's own record: the counter for all locks, which makes it one that remembers, and its
-- incarnation. A node that has none of it has forgotten all, or was never set up: it has no vote.

local function text(number)
  return string.format('%.0f', number) -- plain '..' would round to 14 digits
end

local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local record = redis.call('HMGET', KEYS[1], 'format', 'c', 'inc', 'born', 'longest')
local node = { c = record[2], inc = record[3], born = record[4], longest = record[5] }

local function age()
  return node.born and text(math.max(0, now - tonumber(node.born))) or '0'
end

-- What a node that has no vote answers to everything, or nil.
local function abstention()
  if record[1] and record[1] ~= '1' then
    return { 'error', 'FORMAT ' .. record[1] }
  end
  return not node.c and { 'resting', node.inc or '', age() } or nil
end

-- For scripts about many locks: KEYS from the second on, each with so many arguments.
local function each(width, act)
  local replies = {}
  for i = 2, #KEYS do
    replies[i - 1] = abstention() or act(KEYS[i], (i - 2) * width)
  end
  return replies
end

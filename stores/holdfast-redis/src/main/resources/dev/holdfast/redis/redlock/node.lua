-- One node of a quorum of independent servers; put in front of every script about it.
-- KEYS[1] is the node's own record: the counter for all locks, and the life of the server for which it holds. A node
-- without it has forgotten all, or was never set up; one that was restarted may have come back with an old snapshot,
-- unless its operator vouches for it ('kept'). Such a node has no vote.

local function text(number)
  return string.format('%.0f', number) -- plain '..' would round to 14 digits
end

local clock = redis.call('TIME')
local now = tonumber(clock[1]) * 1000000 + tonumber(clock[2])
local life = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
local record = redis.call('HMGET', KEYS[1], 'format', 'c', 'inc', 'born', 'longest')
local node = { c = record[2], inc = record[3], born = record[4], longest = record[5] }

local function remembers()
  return node.c and (node.inc == life or node.inc == 'kept')
end

-- A node that has no vote in this life rests, once it was seen.
local function rests()
  return node.inc == life and not node.c
end

-- Why the record cannot be used, or nil.
local function unreadable()
  if record[1] and record[1] ~= '1' then
    return { 'error', 'it has format ' .. record[1] .. ', which needs a newer version of Holdfast' }
  end
  if not life then
    return { 'error', 'the server reports no run_id' }
  end
  if node.c and not string.match(node.c, '^%d+$') then
    return { 'error', 'its counter is not a number' }
  end
end

-- What a node without a vote replies to everything, or nil.
local function abstention()
  if unreadable() or remembers() then
    return unreadable()
  end
  if not rests() then
    return { 'resting', '', '0' }
  end
  return { 'resting', node.inc, text(math.max(0, now - tonumber(node.born))) }
end

-- A floor that a claim brings holds for all claims from now on, of all locks, because they share the counter. A
-- server without memory refuses it, which must not harm the claim itself.
local function raise(floor)
  if tonumber(floor) > tonumber(node.c) and type(redis.pcall('HSET', KEYS[1], 'c', floor)) == 'number' then
    node.c = floor
  end
end

local function attempt(act, lock, from)
  local good, answer = pcall(act, lock, from)
  if good then
    return answer
  end
  return { 'error', type(answer) == 'table' and answer.err or tostring(answer) }
end

-- For scripts on many locks: KEYS from the second on, each with this many arguments. A lock that cannot be read leaves
-- the others alone.
local function each(width, act)
  local replies = {}
  for i = 2, #KEYS do
    replies[i - 1] = abstention() or attempt(act, KEYS[i], (i - 2) * width)
  end
  return replies
end

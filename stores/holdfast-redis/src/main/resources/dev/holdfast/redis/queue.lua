-- The queue of one lock; put in front of every verb.
--
-- A lock is a hash and, while somebody waits, a sorted set (its line) of the waiting claims' ids in arrival
-- order. Fields of the hash:
--   lock      format kind capacity last held holders records soonest latest newest, where
--             format   is the number of this layout; another one is refused
--             last     is the last token handed out or reserved
--             held     are the weights of the granted claims, added up; holders is how many they are
--             records  is how many other fields there are
--             soonest  may be too early, never too late: no claim ends before it, and most steps need no sweep
--             latest   is when all claims have ended and the clock has passed all tokens
--             newest   is the claim that was let in last
--   #<id>     a claim: state until token weight since floor channel owner [value]
--   ~<id>     its tombstone, in the same form: a join that must not enter any more
-- States: g granted, w waits, l left but lingers, b buried.
-- The answer is a list with one for each lock, which is a list, too: a word and what belongs to it. For one lock
-- it may be a text instead, with spaces between, which costs less.
-- Times are microseconds since 1970. Lua's numbers are doubles: exact up to 2^53, but '..' would round them.

local FORMAT = '1'
local FAR = 2 ^ 53
local KEPT_MILLIS = 3600000 -- an idle lock is remembered so long, in case the clock is set back

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function text(number)
  return string.format('%.0f', number)
end

local function open(key, line)
  local record = redis.call('HGET', key, 'lock')
  local lock = { key = key, line = line, waiting = redis.call('ZCARD', line) }
  if not record then
    lock.last, lock.held, lock.holders, lock.records = 0, 0, 0, 0
    lock.soonest, lock.latest, lock.newest = FAR, 0, ''
    return lock
  end
  local format = string.match(record, '^%d+')
  if format ~= FORMAT then
    error('FORMAT ' .. tostring(format), 0)
  end
  local kind, capacity, last, held, holders, records, soonest, latest, newest =
    string.match(record, '^%d+ (%S+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (.*)$')
  if not kind then
    error('RECORD', 0)
  end
  lock.kind, lock.newest = kind, newest
  lock.capacity, lock.last, lock.held = tonumber(capacity), tonumber(last), tonumber(held)
  lock.holders, lock.records = tonumber(holders), tonumber(records)
  lock.soonest, lock.latest = tonumber(soonest), tonumber(latest)
  return lock
end

local function parse(field, record)
  local state, till, token, weight, since, floor, channel, owner, value =
    string.match(record, '^(%l) (%d+) (%d+) (%d+) (%d+) (%d+) (%S+) (%S+)(.*)$')
  if not state then
    error('RECORD', 0)
  end
  return {
    field = field, id = string.sub(field, 2), state = state, till = tonumber(till), token = tonumber(token),
    weight = tonumber(weight), since = tonumber(since), floor = tonumber(floor), channel = channel, owner = owner,
    value = value,
  }
end

local function find(lock, id)
  local record = redis.call('HGET', lock.key, '#' .. id)
  return record and parse('#' .. id, record)
end

-- All claims; each of them is read before anything is done about one.
local function all(lock)
  local fields = redis.call('HGETALL', lock.key)
  local claims = {}
  for i = 1, #fields, 2 do
    if string.find(fields[i], '^[#~]') then
      claims[#claims + 1] = parse(fields[i], fields[i + 1])
    end
  end
  return claims
end

local function put(lock, claim)
  lock.changed = true
  lock.soonest = math.min(lock.soonest, claim.till)
  lock.latest = math.max(lock.latest, claim.till)
  local record = string.format('%s %.0f %.0f %.0f %.0f %.0f ',
    claim.state, claim.till, claim.token, claim.weight, claim.since, claim.floor)
  -- Not by '%s', which stops at a NUL.
  lock.records = lock.records
    + redis.call('HSET', lock.key, claim.field, record .. claim.channel .. ' ' .. claim.owner .. claim.value)
end

local function remove(lock, claim)
  lock.changed = true
  lock.records = lock.records - redis.call('HDEL', lock.key, claim.field)
  if claim.state == 'w' then
    lock.waiting = lock.waiting - redis.call('ZREM', lock.line, claim.id)
  elseif claim.state ~= 'b' then
    lock.held = lock.held - claim.weight
    lock.holders = lock.holders - 1
  end
end

-- Removes the expired for good, so that a clock that is set back revives nobody.
local function sweep(lock)
  if now < lock.soonest then
    return
  end
  lock.changed = true
  lock.soonest = FAR
  local claims = all(lock)
  lock.records = #claims -- in case a step has failed half-way, on a record that somebody damaged
  for _, claim in ipairs(claims) do
    if claim.till <= now then
      remove(lock, claim)
    else
      lock.soonest = math.min(lock.soonest, claim.till)
    end
  end
end

-- Tokens rise over everything this lock has handed out and this client has seen.
local function reserve(lock, count, floor)
  local first = math.max(lock.last, floor) + 1
  lock.last = first + count - 1
  return first
end

-- The clock is a floor too: tokens rise even if the server has forgotten the lock.
local function grant(lock, claim)
  claim.state = 'g'
  claim.since = now
  claim.token = reserve(lock, 1, math.max(claim.floor, now - 1))
  lock.held = lock.held + claim.weight
  lock.holders = lock.holders + 1
  lock.newest = claim.id
end

-- Lets in whoever fits, in arrival order, and tells its client. The ttl is left alone: the refresh that
-- follows arms it, and only its answer reports the grant.
local function promote(lock)
  while lock.waiting > 0 do
    local id = redis.call('ZRANGE', lock.line, 0, 0)[1]
    local claim = find(lock, id)
    if claim and lock.held + claim.weight > lock.capacity then
      return
    end
    lock.waiting = lock.waiting - redis.call('ZREM', lock.line, id)
    if claim then
      grant(lock, claim)
      put(lock, claim)
      redis.call('PUBLISH', claim.channel, lock.key)
    end
  end
end

-- Nothing that is in use may expire. In steps of ten minutes: most grants then need not say it again.
local function keep(lock)
  lock.latest = math.max(lock.latest, lock.last)
  local at = text(math.ceil(lock.latest / 600000000) * 600000 + KEPT_MILLIS)
  redis.call('PEXPIREAT', lock.key, at)
  if lock.waiting > 0 then
    redis.call('PEXPIREAT', lock.line, at)
  end
end

local function save(lock)
  lock.latest = math.max(lock.latest, lock.last)
  local record = string.format('%s %s %.0f %.0f %.0f %.0f %.0f %.0f %.0f ', FORMAT, lock.kind,
    lock.capacity, lock.last, lock.held, lock.holders, lock.records, lock.soonest, lock.latest)
  redis.call('HSET', lock.key, 'lock', record .. lock.newest)
  keep(lock)
end

local function granted(lock, claim, asked)
  local first = asked.spares > 0 and reserve(lock, asked.spares, asked.floor) or 0
  return { 'granted', text(claim.token), text(first), text(asked.spares) }
end

local function line_up(lock, claim)
  local last = redis.call('ZRANGE', lock.line, -1, -1, 'WITHSCORES')[2]
  redis.call('ZADD', lock.line, text((last or 0) + 1), claim.id)
  lock.waiting = lock.waiting + 1
  return lock.waiting - 1
end

-- Whoever is next wakes up when somebody may have died; the others when the one before them may have.
local function queued(lock, claim)
  -- It has no place if it has just come, or if the server has dropped the line for lack of memory.
  local rank = redis.call('ZRANK', lock.line, claim.id) or line_up(lock, claim)
  local watched = lock.soonest
  if rank > 0 then
    local before = find(lock, redis.call('ZRANGE', lock.line, rank - 1, rank - 1)[1])
    watched = before and before.till or now
  end
  return { 'queued', text(lock.holders + rank), text(math.max(0, watched - now)) }
end

-- Arms the ttl of a claim that is there, takes over its weight and value, and tells how it stands.
local function rearm(lock, claim, asked)
  local weight = math.min(claim.weight, asked.weight) -- more could break into what others hold
  if claim.state == 'g' then
    lock.held = lock.held - claim.weight + weight
  end
  claim.weight = weight
  claim.floor = asked.floor
  claim.value = asked.value
  claim.channel = asked.channel
  claim.till = now + (claim.state == 'g' and asked.ttl or asked.waiting)
  put(lock, claim)
  if claim.state == 'g' then
    return granted(lock, claim, asked)
  end
  promote(lock)
  claim = find(lock, claim.id)
  if claim.state == 'w' then
    return queued(lock, claim)
  end
  return rearm(lock, claim, asked)
end

-- A claim as the client sends it: its id in ARGV at this place, and behind it all the rest as one text.
local function asked(from)
  local kind, capacity, weight, ttl, waiting, floor, spares, channel, owner, value =
    string.match(ARGV[from + 1], '^(%S+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%S+) (%S+)(.*)$')
  return {
    field = '#' .. ARGV[from], id = ARGV[from], kind = kind, capacity = tonumber(capacity),
    weight = tonumber(weight), ttl = tonumber(ttl), waiting = tonumber(waiting), floor = tonumber(floor),
    spares = tonumber(spares), channel = channel, owner = owner, value = value, token = 0, since = now,
  }
end

-- One atomic step on a lock: removes the expired, acts, lets in whoever fits then.
local function step(act, key, line, ...)
  local lock = open(key, line)
  sweep(lock)
  promote(lock)
  local reply = act(lock, ...)
  if lock.changed then
    promote(lock)
    save(lock)
  end
  return reply
end

-- Each lock is answered for itself: one that is damaged must not spoil the answers for the others.
local function safely(act, ...)
  local done, reply = pcall(act, ...)
  if done then
    return reply
  end
  return { 'error', type(reply) == 'table' and reply.err or tostring(reply) }
end

local function answer(act, ...)
  return safely(step, act, ...)
end

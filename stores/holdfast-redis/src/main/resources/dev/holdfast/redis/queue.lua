-- The queue of one lock; put in front of every verb.
--
-- A lock is a hash and, while somebody waits, a sorted set (its line) of the waiting claims' ids in arrival
-- order. Fields of the hash:
--   lock      format shape and what belongs to the shape, where format is the number of this layout; another one
--             is refused. Shapes:
--     f       last kept: nobody has anything to do with it
--     a       until token kept id, and the claim as its client sent it: one claim alone, let in at its token's
--             moment, with no other token
--     q       kind capacity last held holders records soonest latest newest: everything else
--   #<id>     a claim: state until token weight since floor channel owner [value]
--   ~<id>     its tombstone, in the same form: a join that must not enter any more
-- In these
--   last      is the last token handed out or reserved
--   kept      the hash expires no earlier than an hour after this moment
--   held      are the weights of the granted claims, added up; holders is how many they are
--   records   is how many other fields there are
--   soonest   may be too early, never too late: no claim ends before it, and most steps need no sweep
--   latest    is when all claims have ended and the clock has passed all tokens
--   newest    is the claim that was let in last
-- States: g granted, w waits, l left but lingers, b buried.
-- The answer is a list with one for each lock, which is a list, too: a word and what belongs to it. For one lock
-- it may be a text instead, with spaces between, which costs less.
-- Times are microseconds since 1970. Lua's numbers are doubles: exact up to 2^53, but '..' would round them.

local FORMAT = '2'
local FAR = 2 ^ 53
local KEPT_MILLIS = 3600000 -- an idle lock is remembered so long, in case the clock is set back
local KEPT_STEP = 600000000 -- said again no more often than this: most grants then need not

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local function text(number)
  return string.format('%.0f', number)
end

-- A claim as its client sends it.
local function sent(id, claim)
  local ttl, spares, floor, kind, capacity, weight, waiting, channel, owner, value =
    string.match(claim, '^(%d+) (%d+) (%d+) (%S+) (%d+) (%d+) (%d+) (%S+) (%S+)(.*)$')
  if not ttl then
    error('RECORD', 0)
  end
  return {
    field = '#' .. id, id = id, kind = kind, capacity = tonumber(capacity), weight = tonumber(weight),
    ttl = tonumber(ttl), waiting = tonumber(waiting), floor = tonumber(floor), spares = tonumber(spares),
    channel = channel, owner = owner, value = value, token = 0, since = now,
  }
end

-- The claim of a lock that has one alone; it stays in the lock's own record as long as it is.
local function open_alone(lock, record)
  local till, token, id, claim = string.match(record, '^(%d+) (%d+) %d+ (%S+) (.*)$')
  if not till then
    error('RECORD', 0)
  end
  local alone = sent(id, claim)
  alone.state, alone.till, alone.token, alone.since = 'g', tonumber(till), tonumber(token), tonumber(token)
  lock.alone, lock.newest = alone, id
  lock.kind, lock.capacity, lock.held, lock.holders = alone.kind, alone.capacity, alone.weight, 1
  lock.last, lock.soonest, lock.latest = alone.token, alone.till, alone.till
end

local function open_queue(lock, record)
  local kind, capacity, last, held, holders, records, soonest, latest, newest =
    string.match(record, '^(%S+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (.*)$')
  if not kind then
    error('RECORD', 0)
  end
  lock.kind, lock.newest = kind, newest
  lock.capacity, lock.last, lock.held = tonumber(capacity), tonumber(last), tonumber(held)
  lock.holders, lock.records = tonumber(holders), tonumber(records)
  lock.soonest, lock.latest = tonumber(soonest), tonumber(latest)
end

local function open(key, line)
  local record = redis.call('HGET', key, 'lock')
  local lock = {
    key = key, line = line, waiting = redis.call('ZCARD', line), last = 0, held = 0, holders = 0, records = 0,
    soonest = FAR, latest = 0, newest = '',
  }
  if not record then
    return lock
  end
  local format = string.match(record, '^%d+')
  if format ~= FORMAT then
    error('FORMAT ' .. tostring(format), 0)
  end
  local free = string.match(record, '^%d+ f (%d+) %d+$')
  local alone = string.match(record, '^%d+ a (.*)$')
  if free then
    lock.last = tonumber(free)
  elseif alone then
    open_alone(lock, alone)
  else
    open_queue(lock, string.match(record, '^%d+ q (.*)$') or '')
  end
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
  if lock.alone and lock.alone.id == id then
    return lock.alone
  end
  local record = redis.call('HGET', lock.key, '#' .. id)
  return record and parse('#' .. id, record)
end

-- All claims; each of them is read before anything is done about one.
local function all(lock)
  local fields = redis.call('HGETALL', lock.key)
  local claims = { lock.alone }
  for i = 1, #fields, 2 do
    if string.find(fields[i], '^[#~]') then
      claims[#claims + 1] = parse(fields[i], fields[i + 1])
    end
  end
  return claims
end

local function write(lock, claim)
  local record = string.format('%s %.0f %.0f %.0f %.0f %.0f ',
    claim.state, claim.till, claim.token, claim.weight, claim.since, claim.floor)
  -- Not by '%s', which stops at a NUL.
  lock.records = lock.records
    + redis.call('HSET', lock.key, claim.field, record .. claim.channel .. ' ' .. claim.owner .. claim.value)
end

local function put(lock, claim)
  lock.changed = true
  lock.soonest = math.min(lock.soonest, claim.till)
  lock.latest = math.max(lock.latest, claim.till)
  if claim ~= lock.alone then
    write(lock, claim)
  end
end

local function remove(lock, claim)
  lock.changed = true
  if claim == lock.alone then
    lock.alone = nil
  end
  -- Also where there is no such field: a server that lacks memory refuses an HSET, but not after another write.
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
  -- Counted anew, in case a step has failed half-way, on a record that somebody damaged.
  lock.records = lock.alone and #claims - 1 or #claims
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

-- Nothing that is in use may expire.
local function kept(lock)
  lock.latest = math.max(lock.latest, lock.last)
  return math.ceil(lock.latest / KEPT_STEP) * KEPT_STEP
end

local function keep(lock)
  local at = text(kept(lock) / 1000 + KEPT_MILLIS)
  redis.call('PEXPIREAT', lock.key, at)
  if lock.waiting > 0 then
    redis.call('PEXPIREAT', lock.line, at)
  end
end

-- What is said of the lock itself.
local function record_of(lock)
  local alone = lock.alone
  if lock.records == 0 and lock.waiting == 0 and not alone then
    return string.format('%s f %.0f %.0f', FORMAT, lock.last, kept(lock))
  end
  if lock.records == 0 and lock.waiting == 0 and alone.state == 'g' and alone.token == lock.last then
    return string.format('%s a %.0f %.0f %.0f ', FORMAT, alone.till, alone.token, kept(lock)) .. alone.id
      .. string.format(' %.0f 0 %.0f %s %.0f %.0f %.0f ', alone.ttl, alone.floor, alone.kind, alone.capacity,
        alone.weight, alone.waiting) .. alone.channel .. ' ' .. alone.owner .. alone.value
  end
  if alone then
    write(lock, alone)
  end
  return string.format('%s q %s %.0f %.0f %.0f %.0f %.0f %.0f %.0f ', FORMAT, lock.kind, lock.capacity, lock.last,
    lock.held, lock.holders, lock.records, lock.soonest, math.max(lock.latest, lock.last)) .. lock.newest
end

local function save(lock)
  redis.call('HSET', lock.key, 'lock', record_of(lock))
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

-- The claim in ARGV at this place and the next.
local function asked(from)
  return sent(ARGV[from], ARGV[from + 1])
end

-- One atomic step on a lock: removes the expired, acts, lets in whoever fits then. Where nothing has changed, nobody
-- fits who did not before.
local function step(act, key, line, ...)
  local lock = open(key, line)
  sweep(lock)
  if lock.changed then
    promote(lock)
  end
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

-- What is stored of a lock, and how it is read and changed; put in front of every verb, behind start.lua.
--
-- A lock is a hash and, while claims wait, a sorted set (its line) of the ids of the waiting claims in arrival
-- order. Fields of the hash:
--   lock      format shape and what belongs to the shape, where format is the number of this layout; others are
--             refused. Shapes:
--     f       last expiry: free, and nobody waits
--     a       armed last expiry id, and the claim as its client sent it: one claim alone, granted at the time of its
--             token, which is the last
--     p       armed last expiry, armed and since of the second, how long the first is as text, id and claim of the
--             first, and id and claim of the second: a pair, in which the second waits for the first
--     q       kind capacity last held holders records soonest latest newest [lingers]: everything else
--   #<id>     a claim: state[k] until token weight since floor channel owner [value]
--   ~<id>     its tombstone, in the same form: a late join of this claim is refused
-- In f, a and p times and tokens have 16 digits and lengths 6, so that the fast paths find every field at a known
-- position (RecordLayout). The fields:
--   armed     is when the claim's ttl began; for a claim that waits, when its waiting ttl began
--   last      is the last token handed out or reserved
--   expiry    the hash expires no earlier than an hour after this moment
--   held      is the sum of the weights of the granted claims; holders is their number
--   records   is the number of fields beside the lock's own
--   soonest   may be too early, never too late: no claim ends before it, and most steps need no sweep
--   latest    is when all claims have ended and the clock has passed all tokens
--   newest    is the claim that was granted last
--   lingers   no claim that has left lingers beyond this moment; missing if none lingers
-- States: g granted, w waits, l left but lingers, b tombstone.
-- A claim is keepable if there is a k behind its state or, in the form its client sends, before its spares: its
-- client may keep it idle until it learns that the lock is wanted.
-- The reply is a list with one part for each lock, which is a list, too: a word and what belongs to it. For one lock
-- it may be a text instead, with blanks in between, which costs less.
-- Times are microseconds since 1970. Lua's numbers are doubles: exact up to 2^53, but '..' would round them.

local FORMAT = '4'
local FAR = 2 ^ 53
local LAST = FAR - 2 ^ 31 -- tokens end here: beyond 2^53 they would repeat
local EXPIRY_MILLIS = {EXPIRY.MILLIS} -- how long the keys of an idle lock stay, in case the clock is set back
local EXPIRY_STEP = {EXPIRY.STEP} -- extended no more often than this: most grants need no PEXPIREAT

local function text(number)
  return string.format('%.0f', number)
end

-- A claim as its client sends it.
local function sent(id, claim)
  local ttl, waiting, floor, keepable, spares, kind, capacity, weight, channel, owner, value =
    string.match(claim, '^(%d+) (%d+) (%d+) (k?)(%d+) (%S+) (%d+) (%d+) (%S+) (%S+)(.*)$')
  if not ttl then
    error('RECORD', 0)
  end
  return {
    field = '#' .. id, id = id, kind = kind, capacity = tonumber(capacity), weight = tonumber(weight),
    ttl = tonumber(ttl), waiting = tonumber(waiting), floor = tonumber(floor), spares = tonumber(spares),
    keepable = keepable, channel = channel, owner = owner, value = value, token = 0, since = now,
  }
end

-- Reads the claim of a lock that has only one; it is stored in the lock's own record.
local function open_alone(lock, record)
  local armed, token, expiry, id, claim = string.match(record, '^(%d+) (%d+) (%d+) (%S+) (.*)$')
  if not armed then
    error('RECORD', 0)
  end
  local alone = sent(id, claim)
  alone.state, alone.ends, alone.token, alone.since = 'g', armed + alone.ttl, tonumber(token), tonumber(token)
  lock.alone, lock.newest = alone, id
  lock.kind, lock.capacity, lock.held, lock.holders = alone.kind, alone.capacity, alone.weight, 1
  lock.last, lock.soonest, lock.latest, lock.expiry = alone.token, alone.ends, alone.ends, tonumber(expiry)
end

-- The same with a second claim that waits behind it; there is no line then.
local function open_pair(lock, record)
  local head, armed, since, length, rest = string.match(record, '^(%d+ %d+ %d+ )(%d+) (%d+) (%d+) (.*)$')
  local id, claim = string.match(string.sub(rest or '', (length or 0) + 1), '^ (%S+) (.*)$')
  if not id then
    error('RECORD', 0)
  end
  open_alone(lock, head .. string.sub(rest, 1, length))
  local second = sent(id, claim)
  second.state, second.ends, second.since = 'w', armed + second.waiting, tonumber(since)
  lock.second, lock.waiting = second, 1
  lock.soonest, lock.latest = math.min(lock.soonest, second.ends), math.max(lock.latest, second.ends)
end

local function open_queue(lock, record)
  local kind, capacity, last, held, holders, records, soonest, latest, newest, lingers =
    string.match(record, '^(%S+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%S*) ?(%d*)$')
  if not kind then
    error('RECORD', 0)
  end
  lock.kind, lock.newest = kind, newest
  lock.capacity, lock.last, lock.held = tonumber(capacity), tonumber(last), tonumber(held)
  lock.holders, lock.records = tonumber(holders), tonumber(records)
  lock.soonest, lock.latest, lock.lingers = tonumber(soonest), tonumber(latest), tonumber(lingers) or 0
end

-- Nothing in use may expire, and the hour in which an idle lock is remembered begins after that.
local function expiry(lock)
  lock.latest = math.max(lock.latest, lock.last)
  return math.max(lock.expiry, math.ceil(lock.latest / EXPIRY_STEP) * EXPIRY_STEP)
end

local function open(key, line)
  local record = ahead
  if record == nil then
    record = redis.call('HGET', key, 'lock')
  end
  ahead = nil
  local lock = {
    key = key, line = line, waiting = 0, last = 0, held = 0, holders = 0, records = 0,
    soonest = FAR, latest = 0, expiry = 0, newest = '', lingers = 0,
  }
  if not record then
    return lock
  end
  local format, shape, rest = string.match(record, '^(%d+) ?(%l?) ?(.*)$')
  if format ~= FORMAT then
    error('FORMAT ' .. tostring(format), 0)
  end
  local last, ends = string.match(rest, '^(%d+) (%d+)$')
  if shape == 'f' and last then
    lock.last, lock.expiry = tonumber(last), tonumber(ends)
  elseif shape == 'a' then
    open_alone(lock, rest)
  elseif shape == 'p' then
    open_pair(lock, rest)
  else
    open_queue(lock, shape == 'q' and rest or '')
    lock.fields = true
    lock.waiting = redis.call('ZCARD', line)
    lock.expiry = expiry(lock)
  end
  if lock.last >= LAST then
    error('TOKEN ' .. text(lock.last), 0)
  end
  return lock
end

local function parse(field, record)
  local state, keepable, ends, token, weight, since, floor, channel, owner, value =
    string.match(record, '^(%l)(k?) (%d+) (%d+) (%d+) (%d+) (%d+) (%S+) (%S+)(.*)$')
  if not state then
    error('RECORD', 0)
  end
  return {
    field = field, id = string.sub(field, 2), state = state, keepable = keepable, ends = tonumber(ends),
    token = tonumber(token), weight = tonumber(weight), since = tonumber(since), floor = tonumber(floor),
    channel = channel, owner = owner, value = value,
  }
end

local function find(lock, id)
  for _, claim in pairs({ lock.alone, lock.second, lock.asking }) do
    if claim.id == id then
      return claim
    end
  end
  local record = lock.fields and redis.call('HGET', lock.key, '#' .. id)
  return record and parse('#' .. id, record)
end

-- All claims; all are read before any is changed.
local function all(lock)
  local fields = redis.call('HGETALL', lock.key)
  local claims = { lock.alone or lock.second, lock.alone and lock.second }
  for i = 1, #fields, 2 do
    if string.find(fields[i], '^[#~]') then
      claims[#claims + 1] = parse(fields[i], fields[i + 1])
    end
  end
  return claims
end

-- A server without memory refuses an HSET, except after a write that takes no memory. A lean step makes such a write:
-- what is renewed or released takes no more memory than before.
local function set(lock, field, record)
  local saved = redis.pcall('HSET', lock.key, field, record)
  if type(saved) == 'table' and lock.lean then
    redis.call('HDEL', lock.key, '')
    saved = redis.pcall('HSET', lock.key, field, record)
  end
  if type(saved) == 'table' then
    error(saved, 0)
  end
  return saved
end

local function write(lock, claim)
  local record = string.format('%s%s %.0f %.0f %.0f %.0f %.0f ',
    claim.state, claim.keepable, claim.ends, claim.token, claim.weight, claim.since, claim.floor)
  lock.fields = true
  -- Not by '%s', which stops at a NUL.
  lock.records = lock.records
    + set(lock, claim.field, record .. claim.channel .. ' ' .. claim.owner .. claim.value)
end

local function put(lock, claim)
  lock.changed = true
  lock.soonest = math.min(lock.soonest, claim.ends)
  lock.latest = math.max(lock.latest, claim.ends)
  if claim ~= lock.alone and claim ~= lock.second then
    write(lock, claim)
  end
end

local function remove(lock, claim)
  lock.changed = true
  lock.lean = true
  local second = claim == lock.second
  if claim == lock.alone then
    lock.alone = nil
  elseif second then
    lock.second = nil
  else
    lock.records = lock.records - redis.call('HDEL', lock.key, claim.field)
  end
  if claim.state == 'w' then
    lock.waiting = lock.waiting - (second and 1 or redis.call('ZREM', lock.line, claim.id))
  elseif claim.state ~= 'b' then
    lock.held = lock.held - claim.weight
    lock.holders = lock.holders - 1
  end
end

-- What is stored of a lock, and how it is read and changed; put in front of every verb, behind start.lua.
--
-- A lock is a hash and, while somebody waits, a sorted set (its line) of the waiting claims' ids in arrival
-- order. Fields of the hash:
--   lock      format shape and what belongs to the shape, where format is the number of this layout; another one
--             is refused. Shapes:
--     f       last kept: nobody has anything to do with it
--     a       armed last kept id, and the claim as its client sent it: one claim alone, let in at the moment of its
--             token, which is the last
--     p       armed last kept, armed and since of the second, how long the first is as text, id and claim of the
--             first, and id and claim of the second: a pair, of which the second has to wait for the first
--     q       kind capacity last held holders records soonest latest newest [lingers]: everything else
--   #<id>     a claim: state until token weight since floor channel owner [value]
--   ~<id>     its tombstone, in the same form: a join that must not enter any more
-- In f, a and p times and tokens have 16 digits and lengths 6, so that the short ways find everything at its place.
-- In these
--   armed     is when the claim's ttl began, or of one that waits the time that it lives without renewal
--   last      is the last token handed out or reserved
--   kept      the hash expires no earlier than an hour after this moment
--   held      are the weights of the granted claims, added up; holders is how many they are
--   records   is how many fields there are beside the lock's own
--   soonest   may be too early, never too late: no claim ends before it, and most steps need no sweep
--   latest    is when all claims have ended and the clock has passed all tokens
--   newest    is the claim that was let in last
--   lingers   no claim that has left lingers beyond this moment; missing where none lingers
-- States: g granted, w waits, l left but lingers, b buried.
-- The answer is a list with one for each lock, which is a list, too: a word and what belongs to it. For one lock
-- it may be a text instead, with spaces between, which costs less.
-- Times are microseconds since 1970. Lua's numbers are doubles: exact up to 2^53, but '..' would round them.

local FORMAT = '3'
local FAR = 2 ^ 53
local LAST = FAR - 2 ^ 31 -- tokens end here: beyond 2^53 they would repeat
local KEPT_MILLIS = 3600000 -- an idle lock is remembered so long, in case the clock is set back
local KEPT_STEP = 600000000 -- said again no more often than this: most grants then need not

local function text(number)
  return string.format('%.0f', number)
end

-- A claim as its client sends it.
local function sent(id, claim)
  local ttl, waiting, floor, spares, kind, capacity, weight, channel, owner, value =
    string.match(claim, '^(%d+) (%d+) (%d+) (%d+) (%S+) (%d+) (%d+) (%S+) (%S+)(.*)$')
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
  local armed, token, kept, id, claim = string.match(record, '^(%d+) (%d+) (%d+) (%S+) (.*)$')
  if not armed then
    error('RECORD', 0)
  end
  local alone = sent(id, claim)
  alone.state, alone.till, alone.token, alone.since = 'g', armed + alone.ttl, tonumber(token), tonumber(token)
  lock.alone, lock.newest = alone, id
  lock.kind, lock.capacity, lock.held, lock.holders = alone.kind, alone.capacity, alone.weight, 1
  lock.last, lock.soonest, lock.latest, lock.kept = alone.token, alone.till, alone.till, tonumber(kept)
end

-- The same with one that waits behind it; there is no line then.
local function open_pair(lock, record)
  local head, armed, since, length, rest = string.match(record, '^(%d+ %d+ %d+ )(%d+) (%d+) (%d+) (.*)$')
  local id, claim = string.match(string.sub(rest or '', (length or 0) + 1), '^ (%S+) (.*)$')
  if not id then
    error('RECORD', 0)
  end
  open_alone(lock, head .. string.sub(rest, 1, length))
  local second = sent(id, claim)
  second.state, second.till, second.since = 'w', armed + second.waiting, tonumber(since)
  lock.second, lock.waiting = second, 1
  lock.soonest, lock.latest = math.min(lock.soonest, second.till), math.max(lock.latest, second.till)
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

-- Nothing that is in use may expire.
local function kept(lock)
  lock.latest = math.max(lock.latest, lock.last)
  return math.max(lock.kept, math.ceil(lock.latest / KEPT_STEP) * KEPT_STEP)
end

local function open(key, line)
  local record = ahead
  if record == nil then
    record = redis.call('HGET', key, 'lock')
  end
  ahead = nil
  local lock = {
    key = key, line = line, waiting = 0, last = 0, held = 0, holders = 0, records = 0,
    soonest = FAR, latest = 0, kept = 0, newest = '', lingers = 0,
  }
  if not record then
    return lock
  end
  local format, shape, rest = string.match(record, '^(%d+) ?(%l?) ?(.*)$')
  if format ~= FORMAT then
    error('FORMAT ' .. tostring(format), 0)
  end
  local last, till = string.match(rest, '^(%d+) (%d+)$')
  if shape == 'f' and last then
    lock.last, lock.kept = tonumber(last), tonumber(till)
  elseif shape == 'a' then
    open_alone(lock, rest)
  elseif shape == 'p' then
    open_pair(lock, rest)
  else
    open_queue(lock, shape == 'q' and rest or '')
    lock.fields = true
    lock.waiting = redis.call('ZCARD', line)
    lock.kept = kept(lock)
  end
  if lock.last >= LAST then
    error('TOKEN ' .. text(lock.last), 0)
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
  for _, claim in pairs({ lock.alone, lock.second, lock.asking }) do
    if claim.id == id then
      return claim
    end
  end
  local record = lock.fields and redis.call('HGET', lock.key, '#' .. id)
  return record and parse('#' .. id, record)
end

-- All claims; each of them is read before anything is done about one.
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

-- A server that lacks memory refuses an HSET, but not after a write that takes none. It is made where a step is lean:
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
  local record = string.format('%s %.0f %.0f %.0f %.0f %.0f ',
    claim.state, claim.till, claim.token, claim.weight, claim.since, claim.floor)
  lock.fields = true
  -- Not by '%s', which stops at a NUL.
  lock.records = lock.records
    + set(lock, claim.field, record .. claim.channel .. ' ' .. claim.owner .. claim.value)
end

local function put(lock, claim)
  lock.changed = true
  lock.soonest = math.min(lock.soonest, claim.till)
  lock.latest = math.max(lock.latest, claim.till)
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

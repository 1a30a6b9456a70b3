-- What wrk sends, and what it counts as a right answer. Arguments after `--`: the kind of load, and a file of its
-- parameters (one a line, made by load.ts); for tips also a file for the ids that were acknowledged.
-- In the end it prints one line of JSON.
local threads = {}

function setup(thread)
  table.insert(threads, thread)
end

local requests = {}
local next_request = 0
local prefix, tokens, codes = nil, {}, {}
local acknowledged = nil

local kinds = {
  -- A line is a path. They are asked for in random order.
  get = {
    prepare = function(line)
      local path, token = line:match('^(%S+) ?(%S*)$')
      local headers = { ['Host'] = wrk.headers['Host'] }
      if token ~= '' then headers['Authorization'] = 'Bearer ' .. token end
      requests[#requests + 1] = wrk.format('GET', path, headers)
    end,
    request = function()
      return requests[math.random(#requests)]
    end,
    is_right = function(status, body)
      if status ~= 200 then return false end
      for _, name in ipairs({ '"qr_code"', '"net_amount"', '"receivedTodayCount"', '"best_day"' }) do
        if body:find(name, 1, true) then return true end
      end
      return false
    end,
  },
  -- A line is `token X`, or `code ID CATEGORY`. Each tip has an idempotency key of its own.
  tips = {
    prepare = function(line)
      local token = line:match('^token (%S+)$')
      if token then tokens[#tokens + 1] = token end
      local id, category = line:match('^code (%S+) (%S+)$')
      if id then codes[#codes + 1] = { id = id, category = category } end
    end,
    request = function()
      next_request = next_request + 1
      local code = codes[math.random(#codes)]
      local cents = 1000 + math.random(0, 99000)
      local body = string.format(
        '{"receiver_qr_id":"%s","amount":%d.%02d,"service_category":"%s"}',
        code.id, math.floor(cents / 100), cents % 100, code.category
      )
      return wrk.format('POST', '/api/transactions', {
        ['Authorization'] = 'Bearer ' .. tokens[math.random(#tokens)],
        ['Content-Type'] = 'application/json',
        ['Idempotency-Key'] = prefix .. next_request,
      }, body)
    end,
    is_right = function(status, body)
      local id = body:match('^{"id":"(txn_%w+)"')
      if status ~= 201 or not id or not body:find('"status":"completed"', 1, true) then return false end
      acknowledged:write(id, '\n')
      return true
    end,
  },
  -- Nobody has these emails, which costs the server a full hash each.
  logins = {
    prepare = function() end,
    request = function()
      next_request = next_request + 1
      local body = string.format('{"email":"nobody-%d@example.com","password":"not a password"}', next_request)
      return wrk.format('POST', '/api/auth/login', { ['Content-Type'] = 'application/json' }, body)
    end,
    is_right = function(status)
      return status == 401
    end,
  },
}

local kind

function init(args)
  -- Two loads that begin in the same second must not use the same idempotency keys.
  local a, b, c, d = io.open('/dev/urandom', 'rb'):read(4):byte(1, 4)
  math.randomseed(((a * 256 + b) * 256 + c) * 256 + d)
  prefix = string.format('bench-%d-%d-', os.time(), math.random(1e9))
  kind = kinds[args[1]]
  for line in io.lines(args[2]) do kind.prepare(line) end
  if args[3] then acknowledged = io.open(args[3], 'w') end
  right, wrong, example = 0, 0, ''
end

function request()
  return kind.request()
end

function response(status, _, body)
  if kind.is_right(status, body) then
    right = right + 1
  else
    wrong = wrong + 1
    example = status .. ' ' .. body:sub(1, 200)
  end
end

function done(summary, latency)
  local all = { right = 0, wrong = 0 }
  for _, thread in ipairs(threads) do
    all.right = all.right + thread:get('right')
    all.wrong = all.wrong + thread:get('wrong')
    if thread:get('wrong') > 0 then io.stderr:write(thread:get('example'), '\n') end
  end
  local errors = summary.errors
  io.write(string.format(
    '{"right":%d,"wrong":%d,"socketErrors":%d,"seconds":%.6f,"p50Ms":%.3f,"p99Ms":%.3f,"maxMs":%.3f}\n',
    all.right, all.wrong, errors.connect + errors.read + errors.write + errors.timeout,
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, latency.max / 1e3
  ))
end

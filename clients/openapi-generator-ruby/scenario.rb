# frozen_string_literal: true

# The scenario of docs/contributing/generated-clients.md with the gem that openapi-generator generates.
# TERSE_URL is the address of the server, TERSE_KEY an API key, TERSE_LIMITED_KEY one whose owner may send
# one request per minute.

require 'json'
require 'net/http'
require 'securerandom'
require 'terse_client'

ADDRESS = URI(ENV.fetch('TERSE_URL'))
DESTINATION = 'https://example.org/spring?utm_source=mail'

# The client sends the key as X-API-Key. It also sends an empty bearer token, which the server treats as
# absent.
def client_with(key)
  configuration = Terse::Configuration.new
  configuration.scheme = ADDRESS.scheme
  configuration.host = "#{ADDRESS.host}:#{ADDRESS.port}"
  configuration.api_key['X-API-Key'] = key
  Terse::ApiClient.new(configuration)
end

def check(holds, what)
  raise what.inspect unless holds
end

# The client raises an exception, whose response_body is the problem as JSON.
def problem_of
  result = yield
rescue Terse::ApiError => e
  problem = Terse::Problem.build_from_hash(JSON.parse(e.response_body, symbolize_names: true))
  check(problem.status == e.code, problem)
  check(problem.request_id == e.response_headers['X-Request-Id'], problem)
  check(e.code != 429 || e.response_headers['Retry-After'].to_i.positive?, e)
  problem
else
  raise "no error but #{result.inspect}"
end

def check_problem(problem, status, code)
  check(problem.status == status && problem.code == code, problem)
end

client = client_with(ENV.fetch('TERSE_KEY'))
links = Terse::LinksApi.new(client)
qr_codes = Terse::QRCodesApi.new(client)

created = links.shorten(
  Terse::ShortenRequest.new(url: DESTINATION, title: 'Spring catalogue', campaign: 'spring')
)
check(created.destination_url == DESTINATION && created.short_code.length == 7, created)
code = "rb-#{SecureRandom.hex(8)}"
with_code = Terse::ShortenRequest.new(url: DESTINATION, custom_code: code)
custom = links.shorten(with_code)
check(custom.short_url == "#{ADDRESS}/#{code}", custom)

listed = links.list_links(limit: 2).data
found = listed.map { |link| [link.short_code, link.campaign, link.clicks] }
check(found == [[code, nil, 0], [created.short_code, 'spring', 0]], listed)

redirect = Net::HTTP.get_response(URI(created.short_url))
check(redirect.code == '302' && redirect['Location'] == DESTINATION, redirect)
stats = links.get_stats(created.short_code).data
check(stats.clicks == 1 && stats.is_active == 1, stats)

enabled = qr_codes.enable_qr_code(
  Terse::QrCodeRequest.new(short_code: code, error_correction: 'Q', margin: 2)
)
check(enabled.has_qr == 1, enabled)
with_qr = qr_codes.list_qr_codes.data.first
check(with_qr.short_code == code && with_qr.title.nil?, with_qr)

stranger = Terse::LinksApi.new(client_with('terse_unknownunknownunknown1'))
check_problem(problem_of { stranger.list_links }, 401, 'unauthorized')
check_problem(problem_of { links.get_stats('unknown') }, 404, 'link-not-found')
check_problem(problem_of { links.shorten(with_code) }, 409, 'code-in-use')
invalid = problem_of { links.shorten(Terse::ShortenRequest.new(url: 'https://[')) }
check_problem(invalid, 422, 'invalid-input')
check(invalid.errors.map(&:pointer) == ['/url'], invalid)

limited = Terse::LinksApi.new(client_with(ENV.fetch('TERSE_LIMITED_KEY')))
limited.list_links
check_problem(problem_of { limited.list_links }, 429, 'rate-limited')

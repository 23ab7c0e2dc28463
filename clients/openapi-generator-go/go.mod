module scenario

go 1.19

require example.org/acme/terse v0.0.0

replace example.org/acme/terse => ../terse

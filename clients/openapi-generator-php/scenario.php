<?php
// The scenario of docs/contributing/generated-clients.md with the PHP package that openapi-generator
// generates. TERSE_URL is the address of the server, TERSE_KEY an API key, TERSE_LIMITED_KEY one whose
// owner may send one request per minute.
//
// usage: scenario.php vendor/autoload.php

declare(strict_types=1);

use GuzzleHttp\Client;
use Terse\Api\LinksApi;
use Terse\Api\QRCodesApi;
use Terse\ApiException;
use Terse\Configuration;
use Terse\Model\Problem;
use Terse\Model\QrCodeRequest;
use Terse\Model\ShortenRequest;

require $argv[1];

const DESTINATION = 'https://example.org/spring?utm_source=mail';

// The client sends the key as X-API-Key; with setAccessToken, as a bearer token.
function with_key(string $key): Configuration
{
    $configuration = new Configuration();
    return $configuration->setHost(getenv('TERSE_URL'))->setApiKey('X-API-Key', $key);
}

function check(bool $holds, mixed $what): void
{
    if (!$holds) {
        throw new RuntimeException(print_r($what, true));
    }
}

// The client throws an exception, whose response object is the problem.
function problem_of(callable $request): Problem
{
    try {
        $result = $request();
    } catch (ApiException $error) {
        $problem = $error->getResponseObject();
        check($problem instanceof Problem, $error);
        check($problem->getStatus() === $error->getCode(), $problem);
        check([$problem->getRequestId()] === $error->getResponseHeaders()['x-request-id'], $error);
        $seconds = (int) ($error->getResponseHeaders()['retry-after'][0] ?? 0);
        check($error->getCode() !== 429 || $seconds > 0, $error);
        return $problem;
    }
    throw new RuntimeException('no error but ' . print_r($result, true));
}

function check_problem(Problem $problem, int $status, string $code): void
{
    check($problem->getStatus() === $status && $problem->getCode() === $code, $problem);
}

$http = new Client();
$configuration = with_key(getenv('TERSE_KEY'));
$links = new LinksApi($http, $configuration);
$qrCodes = new QRCodesApi($http, $configuration);

// The setters check the patterns of the document.
$request = (new ShortenRequest())->setUrl(DESTINATION)->setTitle('Frühlingskatalog 春')->setCampaign('spring');
$created = $links->shorten($request);
check($created->getDestinationUrl() === DESTINATION, $created);
check(strlen($created->getShortCode()) === 7, $created);
$code = 'php-' . bin2hex(random_bytes(8));
$withCode = new ShortenRequest(['url' => DESTINATION, 'custom_code' => $code]);
$custom = $links->shorten($withCode);
check($custom->getShortUrl() === getenv('TERSE_URL') . "/$code", $custom);

$listed = $links->listLinks(limit: 2)->getData();
check($listed[0]->getShortCode() === $code && $listed[0]->getCampaign() === null, $listed);
check($listed[1]->getShortCode() === $created->getShortCode(), $listed);
check($listed[1]->getCampaign() === 'spring' && $listed[1]->getClicks() === 0, $listed);

$redirect = $http->get($created->getShortUrl(), ['allow_redirects' => false]);
check($redirect->getStatusCode() === 302, $redirect);
check($redirect->getHeader('Location') === [DESTINATION], $redirect);
$stats = $links->getStats($created->getShortCode())->getData();
check($stats->getClicks() === 1 && $stats->getIsActive() === 1, $stats);

$enabled = $qrCodes->enableQrCode(new QrCodeRequest([
    'short_code' => $code,
    'error_correction' => QrCodeRequest::ERROR_CORRECTION_Q,
    'margin' => 2,
]));
check($enabled->getHasQr() === 1, $enabled);
$withQr = $qrCodes->listQrCodes()->getData()[0];
check($withQr->getShortCode() === $code && $withQr->getTitle() === null, $withQr);

$stranger = new LinksApi($http, with_key('terse_unknownunknownunknown1'));
check_problem(problem_of(fn () => $stranger->listLinks()), 401, 'unauthorized');
check_problem(problem_of(fn () => $links->getStats('unknown')), 404, 'link-not-found');
check_problem(problem_of(fn () => $links->shorten($withCode)), 409, 'code-in-use');
$invalid = problem_of(fn () => $links->shorten(new ShortenRequest(['url' => 'example.org'])));
check_problem($invalid, 422, 'invalid-input');
check(count($invalid->getErrors()) === 1, $invalid);
check($invalid->getErrors()[0]->getPointer() === '/url', $invalid);

$limited = new LinksApi($http, with_key(getenv('TERSE_LIMITED_KEY')));
$limited->listLinks();
check_problem(problem_of(fn () => $limited->listLinks()), 429, 'rate-limited');

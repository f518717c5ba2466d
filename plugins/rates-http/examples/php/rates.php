<?php

/**
 * An example of a source of rates for Agio, written from openapi.yaml with plain PHP.
 *
 *     RATES_SECRET=at-least-16-characters RATES_FILE=rates.csv php -S 127.0.0.1:8082 rates.php
 *
 * It serves the prices of a CSV file that somebody, or another program, keeps:
 *
 *     base,quote,bid,ask
 *     USDT,RUB,92.1,92.35
 *
 * They hold since the file was written. Replace the file by another one in one step (`mv`), so that no half is ever read.
 */

declare(strict_types=1);

const COLUMNS = ['base', 'quote', 'bid', 'ask'];
const PRICE = '/\A[0-9]{1,18}([.][0-9]{1,18})?\z/';

/** Whether one decimal number is not above the other, compared as text: floating-point numbers would round them. */
function is_at_most(string $one, string $other): bool
{
    [$units, $parts] = explode('.', "$one.");
    [$other_units, $other_parts] = explode('.', "$other.");
    $digits = fn (string $units, string $parts): string =>
        str_pad(ltrim($units, '0'), 18, '0', STR_PAD_LEFT) . str_pad($parts, 18, '0');
    return strcmp($digits($units, $parts), $digits($other_units, $other_parts)) <= 0;
}

/** Everything in the file, or nothing: an error in one line says that the others may be wrong as well. */
function price_list(string $path): array
{
    $file = fopen($path, 'r') ?: throw new RuntimeException('the file cannot be read');
    $held_since = fstat($file)['mtime'];
    $line = fn (): array|false => fgetcsv($file, null, ',', '"', '');
    if ($line() !== COLUMNS) {
        throw new RuntimeException('the first line does not name the columns');
    }
    $prices = [];
    while (($values = $line()) !== false) {
        if (count($values) !== count(COLUMNS)) {
            throw new RuntimeException('a line has another number of columns');
        }
        $price = array_combine(COLUMNS, array_map('trim', $values));
        $is_price = preg_match(PRICE, $price['bid']) === 1 && preg_match(PRICE, $price['ask']) === 1;
        if (!$is_price || is_at_most($price['bid'], '0') || !is_at_most($price['bid'], $price['ask'])) {
            throw new RuntimeException("the prices of {$price['base']} in {$price['quote']} are wrong");
        }
        $prices[] = $price;
    }
    return ['time' => gmdate('Y-m-d\TH:i:s\Z', $held_since), 'prices' => $prices];
}

function answer(): array
{
    $secret = (string) getenv('RATES_SECRET');
    if (strlen($secret) < 16 || !hash_equals("Bearer $secret", $_SERVER['HTTP_AUTHORIZATION'] ?? '')) {
        return [401, ['message' => 'the secret is wrong']];
    }
    if ($_SERVER['REQUEST_METHOD'] !== 'GET' || parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH) !== '/rates') {
        return [404, ['message' => 'the list is at /rates']];
    }
    try {
        return [200, price_list((string) getenv('RATES_FILE'))];
    } catch (Throwable $error) {
        error_log($error->getMessage());
        return [503, ['message' => 'there are no prices now']];
    }
}

[$status, $answer] = answer();
http_response_code($status);
header('content-type: application/json');
echo json_encode($answer, JSON_UNESCAPED_SLASHES);

<?php

/**
 * An example of a screening service for Agio, written from openapi.yaml with plain PHP.
 *
 *     SCREENING_KEY=at-least-16-characters SCREENING_FILE=screenings.json SCREENING_REGISTRY=registry.json \
 *         php -S 127.0.0.1:8083 screening.php
 *
 * Its registry is imaginary: a JSON file with what is known about transactions, such as
 *
 *     {"ab12": {"riskscore": "0.125", "signals": {"exchange": "0.9"}}}
 *
 * A transaction that is not in it yet is pending. Replace `verdict` with a call to your service and the file of the
 * screenings with a database, and keep the rest: a screening is paid for when its key comes for the first time, and
 * never again.
 */

declare(strict_types=1);

const BODY_MAX = 65536;
const KEY = '/\A[a-z0-9-]{1,64}\z/';

final class Refused extends Exception
{
    public function __construct(public readonly int $status, string $message)
    {
        parent::__construct($message);
    }
}

/** The score and what it consists of, from 0 to 1, or null while nobody knows. */
function verdict(string $transaction): ?array
{
    $registry = file_get_contents((string) getenv('SCREENING_REGISTRY'));
    return json_decode($registry, true, flags: JSON_THROW_ON_ERROR)[$transaction] ?? null;
}

/** The screening of this key, which is there already if the key is repeated. */
function create_screening(string $key, string $transaction): array
{
    $path = (string) getenv('SCREENING_FILE');
    $lock = fopen("$path.lock", 'c');
    flock($lock, LOCK_EX);
    $all = is_file($path) ? json_decode(file_get_contents($path), true, flags: JSON_THROW_ON_ERROR) : [];
    if (!isset($all[$key])) {
        $all[$key] = ['id' => 's-' . count($all) + 1, 'hash' => $transaction];
        $new = fopen("$path.new", 'w');
        $text = json_encode($all, JSON_THROW_ON_ERROR);
        if (fwrite($new, $text) !== strlen($text) || !fsync($new) || !rename("$path.new", $path)) {
            throw new RuntimeException('the file cannot be written');
        }
    }
    return $all[$key];
}

function find_screening(string $id): array
{
    $path = (string) getenv('SCREENING_FILE');
    $all = is_file($path) ? json_decode(file_get_contents($path), true, flags: JSON_THROW_ON_ERROR) : [];
    foreach ($all as $screening) {
        if ($screening['id'] === $id) {
            return $screening;
        }
    }
    throw new Refused(404, 'there is no such screening');
}

function new_screening(): array
{
    $body = file_get_contents('php://input', length: BODY_MAX + 1);
    $fields = strlen($body) > BODY_MAX ? null : json_decode($body, true, 16);
    $key = $_SERVER['HTTP_IDEMPOTENCY_KEY'] ?? '';
    if (!is_array($fields) || !is_string($fields['hash'] ?? null) || preg_match(KEY, $key) !== 1) {
        throw new Refused(400, 'the key or the transaction is missing or wrong');
    }
    return create_screening($key, $fields['hash']);
}

function answer(): array
{
    $key = (string) getenv('SCREENING_KEY');
    if (strlen($key) < 16 || !hash_equals($key, $_SERVER['HTTP_X_API_KEY'] ?? '')) {
        throw new Refused(401, 'the key is wrong');
    }
    $path = (string) parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
    $screening = match ($_SERVER['REQUEST_METHOD']) {
        'POST' => new_screening(),
        'GET' => find_screening(ltrim($path, '/')),
        default => throw new Refused(405, 'there is no such operation'),
    };
    $known = verdict($screening['hash']);
    return ['id' => $screening['id'], ...($known === null ? ['status' => 'pending'] : ['status' => 'success', ...$known])];
}

try {
    [$status, $answer] = [200, answer()];
} catch (Refused $refused) {
    [$status, $answer] = [$refused->status, ['message' => $refused->getMessage()]];
} catch (Throwable $error) {
    // Not now: the payment waits, and Agio asks again with the same key.
    error_log($error->getMessage());
    [$status, $answer] = [503, ['message' => 'the service failed']];
}
http_response_code($status);
header('content-type: application/json');
echo json_encode($answer, JSON_UNESCAPED_SLASHES);

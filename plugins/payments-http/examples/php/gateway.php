<?php

/**
 * An example of a payment gateway for Agio, written from openapi.yaml with plain PHP.
 *
 *     GATEWAY_SECRET=at-least-16-characters GATEWAY_FILE=gateway.json GATEWAY_PAGES=https://pay.example \
 *         php -S 127.0.0.1:8081 gateway.php
 *
 * Customers pay on pages of the bank. The bank is imaginary: POST /bank/pay stands for a customer who pays there.
 * Replace it with calls to yours, and the file with a database.
 */

declare(strict_types=1);

const BODY_MAX = 65536;
const PAGE = 500;
const KEY = '/\A[a-z0-9-]{1,64}\z/';
const AMOUNT = '/\A[0-9]{1,18}([.][0-9]{1,18})?\z/';
const CURRENCY = '/\A[A-Za-z0-9]{1,40}\z/';
const CALLBACK = '/\A(https?:[!-~]{1,1000})?\z/';
const CURSOR = '/\A[0-9]{1,18}\z/';

final class Refused extends Exception
{
    public function __construct(public readonly int $status, public readonly string $name, string $message)
    {
        parent::__construct($message);
    }
}

/** A field of a request, if it has the form. */
function text(array $fields, string $name, string $form): string
{
    $value = $fields[$name] ?? null;
    if (!is_string($value) || preg_match($form, $value) !== 1) {
        throw new Refused(400, 'bad_request', "$name is missing or wrong");
    }
    return $value;
}

/** What is stored: invoices and payouts by key, and payments in the order in which they came. */
final class Store
{
    public array $invoices = [];
    public array $payments = [];
    public array $payouts = [];
    /** Whom to tell when everything is stored. */
    public array $callbacks = [];
    private $lock;

    /** Requests wait here for each other. */
    public function __construct(private readonly string $file)
    {
        $this->lock = fopen("$file.lock", 'c');
        flock($this->lock, LOCK_EX);
        if (is_file($file)) {
            $stored = json_decode(file_get_contents($file), true, flags: JSON_THROW_ON_ERROR);
            ['invoices' => $this->invoices, 'payments' => $this->payments, 'payouts' => $this->payouts] = $stored;
        }
    }

    /** Writes everything or nothing, and returns when it is on the disk. */
    public function save(): void
    {
        $all = ['invoices' => $this->invoices, 'payments' => $this->payments, 'payouts' => $this->payouts];
        $new = fopen("$this->file.new", 'w');
        $text = json_encode($all, JSON_THROW_ON_ERROR);
        if (fwrite($new, $text) !== strlen($text) || !fsync($new) || !rename("$this->file.new", $this->file)) {
            throw new RuntimeException('the file cannot be written');
        }
    }
}

function get_capabilities(): array
{
    $currency = getenv('GATEWAY_CURRENCY') ?: 'SBERRUB';
    return ['currencies' => [['currency' => $currency, 'operations' => ['invoices', 'payouts', 'refunds', 'balance']]]];
}

function create_invoice(Store $store, array $fields): array
{
    $key = text($fields, 'key', KEY);
    // A repeated key gets the invoice that is there already.
    $store->invoices[$key] ??= [
        'id' => 'inv-' . count($store->invoices) + 1,
        'currency' => text($fields, 'currency', CURRENCY),
        'amount' => text($fields, 'amount', AMOUNT),
    ];
    // The callback may be a new one.
    $store->invoices[$key]['callback'] = text(['callbackUrl' => '', ...array_filter($fields)], 'callbackUrl', CALLBACK);
    $id = $store->invoices[$key]['id'];
    return ['id' => $id, 'page' => getenv('GATEWAY_PAGES') . "/$id"];
}

function list_movements(Store $store, array $query): array
{
    $after = (int) text($query + ['after' => '0'], 'after', CURSOR);
    $currency = text($query, 'currency', CURRENCY);
    $movements = [];
    // Payments of this bank are final at once and never change. So their number is the cursor.
    foreach (array_slice($store->payments, $after, PAGE) as $payment) {
        $after++;
        if ($payment['currency'] === $currency) {
            $movements[] = [
                'id' => "pay-$after", 'invoice' => $payment['id'], 'amount' => $payment['amount'], 'confirmations' => 1,
            ];
        }
    }
    return ['movements' => $movements, 'cursor' => (string) $after];
}

function send_payout(Store $store, array $fields): array
{
    $key = text($fields, 'key', KEY);
    text($fields, 'amount', AMOUNT);
    text($fields, 'address', '/\A.{1,500}\z/su');
    // A real gateway stores the key first and then gives it to the bank. Until the bank's answer is stored, the state
    // is unknown.
    $id = 'out-' . count($store->payouts) + 1;
    return $store->payouts[$key] ??= ['state' => 'sent', 'id' => $id, 'confirmations' => 1, 'fee' => null];
}

function get_payout(Store $store, string $key): array
{
    // What never came is refused if it comes later. Only then it is certain that nothing is sent.
    return $store->payouts[text(['key' => $key], 'key', KEY)]
        ??= ['state' => 'never_sent', 'code' => 'not_found', 'message' => 'The request never came.'];
}

/** What the account holds. A real gateway asks its bank. */
function get_balance(array $query): array
{
    text($query, 'currency', CURRENCY);
    return ['amount' => text(['amount' => getenv('GATEWAY_BALANCE') ?: '0'], 'amount', AMOUNT)];
}

/** What the bank does when a customer pays an invoice. */
function bank_pay(Store $store, array $fields): array
{
    $id = text($fields, 'invoice', '/\Ainv-[0-9]{1,18}\z/');
    foreach ($store->invoices as $invoice) {
        if ($invoice['id'] === $id) {
            $store->payments[] = $invoice;
            $store->callbacks = array_filter([$invoice['callback']]);
            return [];
        }
    }
    throw new Refused(404, 'not_found', 'there is no such invoice');
}

/** Tells Agio to ask now. If that fails, it asks some seconds later. */
function call_back(string $url): void
{
    @file_get_contents($url, context: stream_context_create(['http' => ['method' => 'POST', 'timeout' => 5]]));
}

function fields(): array
{
    $body = file_get_contents('php://input', length: BODY_MAX + 1);
    $fields = strlen($body) > BODY_MAX ? null : json_decode($body, true, 16);
    if (!is_array($fields)) {
        throw new Refused(400, 'bad_request', 'the body is no JSON object, or too long');
    }
    return $fields;
}

function answer(): array
{
    $secret = (string) getenv('GATEWAY_SECRET');
    if (strlen($secret) < 16 || !hash_equals("Bearer $secret", $_SERVER['HTTP_AUTHORIZATION'] ?? '')) {
        throw new Refused(401, 'unauthorised', 'the secret is wrong');
    }
    $path = (string) parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
    $request = "{$_SERVER['REQUEST_METHOD']} $path";
    $store = new Store(getenv('GATEWAY_FILE'));
    $answer = match (true) {
        $request === 'GET /capabilities' => get_capabilities(),
        $request === 'POST /invoices' => create_invoice($store, fields()),
        $request === 'GET /movements' => list_movements($store, $_GET),
        $request === 'POST /payouts' => send_payout($store, fields()),
        str_starts_with($request, 'GET /payouts/') => get_payout($store, substr($path, strlen('/payouts/'))),
        $request === 'GET /balance' => get_balance($_GET),
        $request === 'POST /bank/pay' => bank_pay($store, fields()),
        default => throw new Refused(404, 'not_found', 'there is no such operation'),
    };
    $store->save();
    $callbacks = $store->callbacks;
    // Nobody waits for the file while Agio is called.
    unset($store);
    array_walk($callbacks, call_back(...));
    return $answer;
}

try {
    [$status, $answer] = [200, answer()];
} catch (Refused $refused) {
    [$status, $answer] = [$refused->status, ['code' => $refused->name, 'message' => $refused->getMessage()]];
} catch (Throwable) {
    // Nobody knows how far it came, so the answer is none of the contract.
    [$status, $answer] = [500, ['code' => 'failed', 'message' => 'the gateway failed']];
}
http_response_code($status);
header('content-type: application/json');
echo json_encode($answer, JSON_UNESCAPED_SLASHES);

//! Messages to staff and customers through Telegram's Bot API (`sendMessage`). Customers start a chat by a deep link of the bot
//! (<https://core.telegram.org/bots/features#deep-linking>), whose code the bot reads by `getUpdates`.
//!
//! The text is sent without markup. The bot token is part of the request URL, so error messages never contain the URL. Telegram has no
//! idempotency keys: a message whose response was lost may be delivered twice.

use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    Action, ActionResult, AllowedHost, CHATS, Call, CallError, CallResult, HttpMethod, HttpRequest, HttpResponse, LocalizedText,
    Manifest, Notification, PluginKind, PluginLimits, PluginRequest, PluginResponse, PluginSetting, PluginSettingKind,
    StartedChat, StartedChats,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// The settings with the bot's token and the chat it writes to.
const TOKEN: &str = "token";
const CHAT: &str = "chat";

/// The longest message, in UTF-16 units, which is how Telegram counts.
const TEXT_MAX: usize = 4096;

/// How many updates are asked for at once. Each may be several kilobytes.
const UPDATES_MAX: u32 = 50;

/// Maximum length of Telegram's error message, in characters.
const DESCRIPTION_MAX: usize = 200;

pub struct Telegram {
    origin: String,
}

impl Default for Telegram {
    fn default() -> Self {
        Self::at("https://api.telegram.org")
    }
}

impl Telegram {
    /// Uses another origin, for tests.
    pub fn at(origin: &str) -> Self {
        Self { origin: origin.to_owned() }
    }

    fn answer(&self, input: &PluginRequest) -> Result<PluginResponse, CallError> {
        let Some((method, body)) = request_of(&input.call, input) else {
            return Err(CallError::permanent("not_asked", "this plugin does not support the call"));
        };
        match input.outcomes.first() {
            None => self.post(method, &body, input.setting(TOKEN)).map(|request| PluginResponse::action(Action::Http(request))),
            Some(ActionResult::Http(reply)) => {
                let result = parse_response(reply, input.setting(TOKEN))?;
                result_of(&input.call, result, bot_of(input)).map(PluginResponse::Done)
            }
            Some(ActionResult::HttpFailure(unreached)) => {
                Err(CallError::temporary("unreachable", without(&unreached.why, input.setting(TOKEN))))
            }
            Some(ActionResult::Stored) => Err(CallError::permanent("unasked", "unexpected result of a store action")),
        }
    }

    fn post(&self, method: &str, body: &Value, token: &str) -> Result<HttpRequest, CallError> {
        if !is_token(token) {
            return Err(CallError::permanent(
                "bad_token",
                "the token is not as Telegram gives them: digits, a colon, letters and digits",
            ));
        }
        Ok(HttpRequest::post_json(format!("{}/bot{token}/{method}", self.origin), body))
    }
}

/// The number of the bot: a cursor of another one means nothing.
fn bot_of(input: &PluginRequest) -> &str {
    input.setting(TOKEN).split(':').next().unwrap_or_default()
}

/// The method of the Bot API for a call, and its parameters. `None` for calls of other plugins.
fn request_of(call: &Call, input: &PluginRequest) -> Option<(&'static str, Value)> {
    match call {
        Call::Notify(Notification { recipient, text, url, .. }) => {
            let body = json!({
                "chat_id": recipient.as_deref().unwrap_or(input.setting(CHAT)),
                "text": fitting(text, url.as_deref()),
                "link_preview_options": { "is_disabled": true },
            });
            Some(("sendMessage", body))
        }
        Call::ChatLink { .. } => Some(("getMe", json!({}))),
        // Telegram forgets what is before the offset. The first time it has everything since it was last asked, for a day.
        Call::StartedChats { cursor } => {
            let known = cursor.as_deref().and_then(|cursor| cursor.split_once(':')).filter(|(bot, _)| *bot == bot_of(input));
            let offset = known.and_then(|(_, offset)| offset.parse::<i64>().ok()).unwrap_or(0);
            Some(("getUpdates", json!({ "offset": offset, "limit": UPDATES_MAX, "timeout": 0, "allowed_updates": ["message"] })))
        }
        _ => None,
    }
}

fn result_of(call: &Call, result: Value, bot: &str) -> Result<CallResult, CallError> {
    Ok(match call {
        Call::ChatLink { code } => {
            let Bot { username } = parse(result)?;
            let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
            if username.is_empty() || !username.bytes().all(is_name) {
                return Err(CallError::temporary("unreadable", "the bot has no user name"));
            }
            CallResult::ChatLink(format!("https://t.me/{username}?start={code}"))
        }
        Call::StartedChats { cursor } => {
            let updates: Vec<Update> = parse(result)?;
            let next = updates.iter().map(|update| update.update_id.saturating_add(1)).max();
            let cursor = next.map(|offset| format!("{bot}:{offset}")).or_else(|| cursor.clone());
            let chats = updates.into_iter().filter_map(|update| update.message?.started_chat()).collect();
            CallResult::StartedChats(StartedChats { chats, cursor })
        }
        _ => CallResult::Notified,
    })
}

fn parse<T: DeserializeOwned>(result: Value) -> Result<T, CallError> {
    serde_json::from_value(result).map_err(|error| CallError::temporary("unreadable", error.to_string()))
}

#[cfg(feature = "library")]
agio_plugin_sdk::export!(Telegram::default());

impl Plugin for Telegram {
    fn manifest(&self) -> Manifest {
        let field = |name: &str, kind, ru, en| PluginSetting {
            name: name.to_owned(),
            kind,
            title: LocalizedText::new(ru, en),
            default: None,
        };
        Manifest {
            name: "telegram".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            kind: PluginKind::Notifier,
            title: LocalizedText::new("Telegram", "Telegram"),
            about: LocalizedText::new(
                "Пишет сотрудникам в чат или канал о том, что не ждёт, пока откроют консоль, а клиентам — о заявках, за которыми они решили следить в Telegram.",
                "Writes to a chat or channel of staff what cannot wait until somebody opens the console, and to customers about claims that they chose to follow in Telegram.",
            ),
            hosts: vec![AllowedHost::Origin { origin: self.origin.clone(), methods: vec![HttpMethod::Post] }],
            settings: vec![
                field(TOKEN, PluginSettingKind::Secret, "Токен бота от @BotFather", "The bot’s token from @BotFather"),
                field(CHAT, PluginSettingKind::Text, "Номер чата или @имя канала", "Number of the chat, or @name of the channel"),
            ],
            limits: PluginLimits::default(),
            features: vec![CHATS.to_owned()],
        }
    }

    fn handle(&self, input: &PluginRequest) -> PluginResponse {
        self.answer(input).unwrap_or_else(PluginResponse::Failed)
    }
}

/// Whether it can be part of an address without changing where that leads.
fn is_token(text: &str) -> bool {
    let is_secret = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    text.split_once(':').is_some_and(|(bot, secret)| {
        !bot.is_empty() && bot.bytes().all(|byte| byte.is_ascii_digit()) && !secret.is_empty() && is_secret(secret)
    })
}

/// The message with its link, as long as may be: the text is cut, the link never.
fn fitting(text: &str, url: Option<&str>) -> String {
    let link = url.map(|url| format!("\n\n{url}")).unwrap_or_default();
    let available = TEXT_MAX.saturating_sub(link.encode_utf16().count());
    if text.encode_utf16().count() <= available {
        return format!("{text}{link}");
    }
    let mut left = available.saturating_sub(1);
    let cut: String = text
        .chars()
        .take_while(|character| {
            let fits = left >= character.len_utf16();
            left = left.saturating_sub(character.len_utf16());
            fits
        })
        .collect();
    format!("{}…{link}", cut.trim_end())
}

/// What Telegram answers, whatever its status.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Reply {
    ok: bool,
    result: Value,
    description: String,
    parameters: Parameters,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Parameters {
    retry_after: Option<u32>,
}

/// The user that a bot is.
#[derive(Deserialize)]
struct Bot {
    username: String,
}

#[derive(Deserialize)]
struct Update {
    update_id: i64,
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    chat: Chat,
    #[serde(default)]
    text: String,
}

#[derive(Deserialize)]
struct Chat {
    id: i64,
    #[serde(rename = "type")]
    kind: String,
}

impl Message {
    /// `None` unless somebody has followed a link in a chat of their own: what is written to a group, all of it read.
    fn started_chat(self) -> Option<StartedChat> {
        let code = self.text.strip_prefix("/start ").filter(|_| self.chat.kind == "private")?;
        Some(StartedChat { code: code.trim().to_owned(), recipient: self.chat.id.to_string() })
    }
}

/// What Telegram answers with.
fn parse_response(reply: &HttpResponse, token: &str) -> Result<Value, CallError> {
    let read: Option<Reply> = serde_json::from_slice(reply.body.bytes()).ok();
    let read = read.unwrap_or_default();
    if reply.status == 200 && read.ok {
        return Ok(read.result);
    }
    let description: String = without(&read.description, token).chars().take(DESCRIPTION_MAX).collect();
    let why = format!("Telegram answered {} {description}", reply.status);
    Err(match (reply.status, read.parameters.retry_after) {
        (429, Some(seconds)) => CallError::temporary("too_many", format!("{why}; retry after {seconds} seconds")),
        (429, None) => CallError::temporary("too_many", why),
        // The bot was shown the door.
        (403, _) => CallError::permanent("recipient_gone", why),
        // The token or the chat is wrong.
        (300..=399 | 400 | 401 | 404, _) => CallError::permanent("refused", why),
        _ => CallError::temporary("source_error", why),
    })
}

/// A text without the secret, should the other side quote it.
fn without(text: &str, secret: &str) -> String {
    if secret.is_empty() { text.to_owned() } else { text.replace(secret, "***") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_cut_between_characters_and_keeps_its_link() {
        let url = "https://obmen.example/admin/mail";
        assert_eq!(fitting("Книги не сходятся", Some(url)), format!("Книги не сходятся\n\n{url}"));
        assert_eq!(fitting(&"я".repeat(TEXT_MAX), None), "я".repeat(TEXT_MAX));
        for character in ["a", "я", "\u{1f600}"] {
            for length in TEXT_MAX - 40..=TEXT_MAX + 40 {
                let message = fitting(&character.repeat(length), Some(url));
                let units = message.encode_utf16().count();
                assert!(units <= TEXT_MAX && message.ends_with(url), "{units}");
            }
        }
    }

    #[test]
    fn only_tokens_are_tokens() {
        assert!(is_token("123456:AAE-x_9"));
        for text in ["", ":", "123456", "123456:", ":AAE", "12a:AAE", "123456:AA/../", "123456:A E", "123456:AAE?x", "1:2:3"] {
            assert!(!is_token(text), "{text:?}");
        }
    }
}

//! A messenger in which customers start chats.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    CHATS, Call, CallError, CallResult, LocalizedText, Manifest, Notification, PluginKind, PluginLimits, PluginRequest,
    PluginResponse, StartedChat, StartedChats,
};

/// A notifier plugin named `telegram`, without a network. Clones share their chats.
#[derive(Clone, Default)]
pub struct TestMessenger(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    started: Vec<StartedChat>,
    asked: usize,
    messages: Vec<Notification>,
    refusal: Option<CallError>,
}

impl TestMessenger {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A customer follows a link and presses Start.
    pub fn start(&self, link: &str, chat: &str) {
        let code = link.rsplit_once("start=").map_or(link, |(_, code)| code).to_owned();
        self.state().started.push(StartedChat { code, recipient: chat.to_owned() });
    }

    pub fn messages(&self, chat: &str) -> Vec<Notification> {
        self.state().messages.iter().filter(|message| message.recipient.as_deref() == Some(chat)).cloned().collect()
    }

    /// How often it was asked for started chats.
    pub fn asked(&self) -> usize {
        self.state().asked
    }

    /// Calls fail from here on.
    pub fn refuse_with(&self, refusal: Option<CallError>) {
        self.state().refusal = refusal;
    }

    fn answer(&self, call: &Call) -> Result<CallResult, CallError> {
        let mut state = self.state();
        if let Some(refusal) = &state.refusal {
            return Err(refusal.clone());
        }
        match call {
            Call::Notify(notification) => {
                state.messages.push(notification.clone());
                Ok(CallResult::Notified)
            }
            Call::ChatLink { code } => Ok(CallResult::ChatLink(format!("https://t.me/agio_bot?start={code}"))),
            Call::StartedChats { cursor } => {
                state.asked += 1;
                let known = cursor.as_deref().map_or(0, |cursor| cursor.parse().expect("a cursor of its own"));
                let chats = state.started.iter().skip(known).cloned().collect();
                Ok(CallResult::StartedChats(StartedChats { chats, cursor: Some(state.started.len().to_string()) }))
            }
            _ => Err(CallError::permanent("not_asked", "it is a notifier")),
        }
    }
}

impl Plugin for TestMessenger {
    fn manifest(&self) -> Manifest {
        Manifest {
            name: "telegram".to_owned(),
            version: "1.0.0".to_owned(),
            kind: PluginKind::Notifier,
            title: LocalizedText::new("Телеграм", "Telegram"),
            about: LocalizedText::new("Для тестов.", "For tests."),
            hosts: Vec::new(),
            settings: Vec::new(),
            limits: PluginLimits::default(),
            features: vec![CHATS.to_owned()],
        }
    }

    fn handle(&self, request: &PluginRequest) -> PluginResponse {
        self.answer(&request.call).map_or_else(PluginResponse::Failed, PluginResponse::Done)
    }
}

//! Chats in messengers, such as Telegram, that are told of claims.

use std::sync::Arc;

use agio_http::{ApiResult, Created, CustomerAuth, DateTime, JsonResponse, Visitor, body};
use agio_push::{Chat, ChatLink};
use poem_openapi::OpenApi;
use poem_openapi::param::Path;
use uuid::Uuid;

use super::Tag;
use crate::Claims;

/// The API of chats in messengers.
pub struct ChatsApi(pub Arc<Claims>);

/// A link that starts a chat. It is good once.
#[body(response)]
struct ChatLinkView {
    /// HTTPS URL of the messenger, for the customer alone.
    link: String,
    /// Until when it can be followed.
    expires_at: DateTime,
}

/// The chats that are told.
#[body(response)]
struct ChatList {
    /// The oldest first.
    chats: Vec<ChatView>,
}

/// A chat in a messenger.
#[body(response)]
struct ChatView {
    /// Identifier, for unsubscribing as with a browser's subscription.
    id: Uuid,
    /// Name of the messenger: "telegram".
    messenger: String,
}

impl From<ChatLink> for ChatLinkView {
    fn from(ChatLink { url, expires_at }: ChatLink) -> Self {
        Self { link: url, expires_at: DateTime(expires_at) }
    }
}

impl From<Vec<Chat>> for ChatList {
    fn from(chats: Vec<Chat>) -> Self {
        Self { chats: chats.into_iter().map(|Chat { id, messenger }| ChatView { id, messenger }).collect() }
    }
}

#[OpenApi(prefix_path = "/api/v1", tag = "Tag::Claims")]
impl ChatsApi {
    /// Create a link to a messenger for a claim
    ///
    /// Once the customer has followed it and pressed Start, the chat is told what the customer is e-mailed about, in the
    /// language of the claim: the subject of the e-mail and the link of the claim, both of which the messenger's company
    /// sees. A new link ends the former one. At most five browsers and chats per claim. The chat is forgotten 30 days after
    /// its last message, or when it takes no more. `calculator/settings` names the messengers.
    #[oai(path = "/claim/:id/messengers/:messenger", method = "post", operation_id = "createClaimChatLink")]
    async fn link_for_claim(&self, id: Path<Uuid>, messenger: Path<String>) -> ApiResult<Created<ChatLinkView>> {
        let link = self.0.claim_chat_link(id.0, messenger.0).await?;
        Ok(Created { body: link.into(), cookie: None })
    }

    /// List the chats of a claim
    #[oai(path = "/claim/:id/chats", method = "get", operation_id = "listClaimChats")]
    async fn chats_of_claim(&self, id: Path<Uuid>) -> ApiResult<JsonResponse<ChatList>> {
        Ok(JsonResponse(self.0.claim_chats(id.0).await?.into()))
    }

    /// Create a link to a messenger for my claims
    ///
    /// As for one claim, for all claims that are created in the account. It does not end with the session, but when all other
    /// sessions are ended at once: on request, by a new password or by a new address.
    #[oai(path = "/users/me/messengers/:messenger", method = "post", operation_id = "createMyChatLink")]
    async fn link_for_account(
        &self,
        customer: CustomerAuth,
        visitor: Visitor,
        messenger: Path<String>,
    ) -> ApiResult<Created<ChatLinkView>> {
        let link = self.0.account_chat_link(&customer.0, messenger.0, visitor.locale).await?;
        Ok(Created { body: link.into(), cookie: None })
    }

    /// List the chats of my claims
    #[oai(path = "/users/me/chats", method = "get", operation_id = "listMyChats")]
    async fn chats_of_account(&self, customer: CustomerAuth) -> ApiResult<JsonResponse<ChatList>> {
        Ok(JsonResponse(self.0.account_chats(&customer.0).await?.into()))
    }
}

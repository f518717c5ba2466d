//! The attribute of types that are sent or received as JSON.

use proc_macro::TokenStream;

/// Declares a JSON body for serde and for the OpenAPI document at once: camelCase names, and no unknown properties in
/// what is received.
///
/// - `#[body(response)]` is sent only.
/// - `#[body(request)]` is received only.
/// - `#[body(shared)]` is sent and received: a view that is also edited, or a request that is also stored.
///
/// Further arguments go to poem-openapi's `oai` attribute: `#[body(request, example)]`.
#[proc_macro_attribute]
pub fn body(arguments: TokenStream, item: TokenStream) -> TokenStream {
    let arguments = arguments.to_string();
    let (direction, rest) = arguments.split_once(',').unwrap_or((&arguments, ""));
    let (traits, strict) = match direction.trim() {
        "response" => ("::serde::Serialize", ""),
        "request" => ("::serde::Deserialize", "deny_unknown_fields"),
        "shared" => ("::serde::Serialize, ::serde::Deserialize", "deny_unknown_fields"),
        other => return error(&format!("`{other}` is not response, request or shared")),
    };
    let attributes = format!(
        "#[derive({traits}, ::poem_openapi::Object)]
         #[serde(rename_all = \"camelCase\", {strict})]
         #[oai(rename_all = \"camelCase\", {} {rest})]",
        if strict.is_empty() { String::new() } else { format!("{strict},") },
    );
    let Ok(mut declared) = attributes.parse::<TokenStream>() else { return error("the arguments cannot be parsed") };
    declared.extend(item);
    declared
}

fn error(text: &str) -> TokenStream {
    format!("compile_error!({text:?});").parse().unwrap_or_default()
}

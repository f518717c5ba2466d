//! HTTP types shared by the `api` and `admin` parts of all modules: bodies ([`body`]), values in them ([`values`]),
//! enums ([`api_enum`]), fees ([`fees`]), lists in pages ([`page`]), bodies that are sent to many ([`prepared`]), errors as
//! problem documents ([`problem`]) and callers ([`caller`]).
//!
//! poem and poem-openapi are used here, in those parts and in the server, and nowhere else.

pub mod api_enum;
pub mod body;
pub mod caller;
pub mod csv_file;
pub mod fees;
pub mod page;
pub mod prepared;
pub mod problem;
mod schema;
pub mod values;

pub use agio_http_macros::body;
pub use api_enum::ApiEnum;
pub use body::{Accepted, Created, Either, JsonBody, JsonResponse, NoContent, OptionalJsonBody, PreparedResponse};
pub use caller::{CustomerAuth, IdempotencyKey, StaffAuth, StaffSetupAuth, Visitor};
pub use fees::{ExchangeFees, PayoutNetworkFee};
pub use page::{Cursor, Page, page_size};
pub use prepared::{Effort, Negotiation, PreparedBody};
pub use problem::{ApiError, ApiResult, Problem};
pub use values::{DateOrDateTime, DateTime, Dec, Nullable, parse_decimal};

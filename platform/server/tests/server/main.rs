//! Tests of the whole server.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod access_matrix;
mod alert_redelivery;
mod audit;
mod audit_tampering;
mod backup;
mod brand;
mod checkpoints;
mod claim_pages;
mod command_line;
mod concurrent_claims;
mod doctor;
mod embedded_calculator;
mod event_streams;
mod examples;
mod file_permissions;
mod hostile_clients;
mod http_requests;
mod idempotency_keys;
mod init;
mod language;
mod ledger_consistency;
mod log_privacy;
mod malformed_bodies;
mod market_file;
mod market_pages;
mod module_boundaries;
mod nodes;
mod plugin_quarantine;
mod promises;
mod published_documents;
mod races;
mod retention;
mod sandbox;
mod schema;
mod schema_and_keys;
mod schema_expansion;
mod setup;
mod staff_alerts;

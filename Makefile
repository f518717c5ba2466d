# The main commands are `make run` and `make test`. Each installs what it needs, or prints what is missing.

.PHONY: run dev test dist package bench bench-peers bench-programs gen sites hooks audit spelling

SHELL := /bin/bash
# The demo needs no optimised build, and `make test` shares this one. PROFILE=release is for benchmarks.
PROFILE ?= dev
CARGO_FLAGS := $(if $(filter release,$(PROFILE)),--release,)
AGIO := target/$(if $(filter release,$(PROFILE)),release,debug)/agio

# make run DB=postgres://... uses PostgreSQL instead of the SQLite file in var/.
ifdef DB
export AGIO__DATABASE__URL := $(DB)
endif

run: sites
	@.ci/need cargo
	@cargo build $(CARGO_FLAGS) --bin agio
	@$(AGIO) --profile demo seed demo
	@exec $(AGIO) --profile demo serve

# Both sites with hot reload, http://127.0.0.1:5173 and :5174/admin, against the demo server.
# AGIO_SERVER=http://... uses a server that runs already.
dev: node_modules/.installed
	@$(if $(AGIO_SERVER),,.ci/need cargo && cargo build $(CARGO_FLAGS) --bin agio)
	@.ci/dev $(AGIO)

test:
	@.ci/test

# Equal functions once, relocations packed: an eighth of the program.
LINK := -Clink-arg=-Wl,--icf=all -Clink-arg=-Wl,-z,pack-relative-relocs
DIST := --profile dist --config 'target.x86_64-unknown-linux-gnu.rustflags="$(LINK)"'

# One binary with both sites and the help in it: target/dist/agio.
dist: sites
	@.ci/need cargo
	cargo build $(DIST) --features agio-server/built-in-sites --bin agio
	@stat --format '%n: %s bytes' $${CARGO_TARGET_DIR:-target}/dist/agio

# The Debian package, in target/package.
package: dist
	@.ci/package

# What `make dist` builds is measured, and then its quotes while plugins are faulty. RECORD=docs writes the results into
# docs/benchmarks.md and its picture.
bench: bench-programs
	@.ci/bench $(if $(RECORD),record $(abspath $(RECORD)))
	cargo test $(DIST) --quiet -p agio-server --test faulty_plugins -- --ignored --nocapture

# Beside PocketBase and Django REST framework. RECORD=docs writes the results into docs/peers.md.
bench-peers: bench-programs
	@.ci/bench-peers $(if $(RECORD),$(abspath $(RECORD)))

bench-programs:
	@.ci/need cargo
	cargo build $(DIST) --bin agio --bin agio-bench

# Regenerates all checked-in generated files.
gen: node_modules/.installed
	AGIO_WRITE_VECTORS=1 cargo test --quiet -p agio-calculator --test money vectors
	AGIO_WRITE_EXAMPLES=1 cargo test --quiet -p agio-server --test server examples
	AGIO_WRITE_DOCUMENTS=1 cargo test --quiet -p agio-server --test server published_documents
	npm run --silent gen -w @agio/client

sites: public-web/dist/.built admin-web/dist/.built docs/dist/.built

node_modules/.installed: package.json package-lock.json $(wildcard */package.json openapi/client/package.json public-web/e2e/package.json)
	@.ci/need node
	@npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

PUBLIC_SOURCES := $(shell find public-web/src public-web/scripts public-web/*.ts public-web/*.html public-web/public openapi/client/src -type f 2>/dev/null)
ADMIN_SOURCES := $(shell find public-web/scripts/compress.mjs admin-web/src admin-web/*.ts admin-web/*.html admin-web/public openapi/client/src public-web/src/components public-web/src/features/home/notices public-web/src/styles -type f 2>/dev/null)
HELP_SOURCES := $(shell find public-web/scripts/compress.mjs docs -not -path 'docs/dist*' -not -path '*/node_modules*' -type f 2>/dev/null)

public-web/dist/.built: node_modules/.installed $(PUBLIC_SOURCES)
	@npm run --silent build -w @agio/public-web
	@touch $@

admin-web/dist/.built: node_modules/.installed $(ADMIN_SOURCES)
	@npm run --silent build -w @agio/admin-web
	@touch $@

docs/dist/.built: node_modules/.installed $(HELP_SOURCES)
	@npm run --silent build -w @agio/help
	@touch $@

# Checks what is staged before each commit: .ci/hooks/pre-commit.
hooks:
	@git config core.hooksPath .ci/hooks

# Licences, advisories and sources of dependencies.
audit:
	@.ci/audit

spelling:
	@.ci/spelling

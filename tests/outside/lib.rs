//! Nothing: the tests are in `main.rs`.

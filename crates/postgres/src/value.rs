//! Values of statements, which know their type, so that the server is never asked for it.

use std::{error::Error, fmt};

use aforesaid_core::types::{Namespace, Seq};
use bytes::{BufMut, BytesMut};
use sha2::{Digest, Sha256};
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};

use crate::kept_text;

/// What tells namespaces apart in every key: made from the name, so that nobody has to hand it out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tenant([u8; 16]);

impl fmt::Display for Tenant {
    /// Hexadecimal digits, which PostgreSQL reads as a UUID.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Tenant {
    pub(crate) fn of(namespace: &Namespace) -> Self {
        let digest = Sha256::new().chain_update("aforesaid namespace:").chain_update(namespace.as_str()).finalize();
        Self(std::array::from_fn(|i| digest[i]))
    }

    /// As a number in hexadecimal.
    pub(crate) fn hex(&self) -> String {
        self.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// What [`Tenant::hex`] wrote.
    pub(crate) fn of_hex(hex: &str) -> Option<Self> {
        let bytes = u128::from_str_radix(hex, 16).ok().filter(|_| hex.len() == 32)?;
        Some(Self(bytes.to_be_bytes()))
    }

    /// As the database writes it; nothing of the name is in it.
    pub(crate) fn uuid(&self) -> String {
        let hex = self.hex();
        [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
    }

    pub(crate) fn bytes(&self) -> [u8; 16] {
        self.0
    }
}

/// One value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Tenant(Tenant),
    Number(Option<i64>),
    Real(f64),
    Truth(bool),
    Text(Option<String>),
    Bytes(Vec<u8>),
    Numbers(Vec<i64>),
    Reals(Vec<f32>),
    Reals64(Vec<f64>),
    Texts(Vec<String>),
    Blobs(Vec<Vec<u8>>),
}

/// The values of a statement, after the tenant.
macro_rules! values {
    ($($value:expr),* $(,)?) => { vec![$($crate::value::Value::from($value)),*] };
}
pub(crate) use values;

impl Value {
    pub(crate) fn kind(&self) -> Type {
        match self {
            Value::Tenant(_) => Type::UUID,
            Value::Number(_) => Type::INT8,
            Value::Real(_) => Type::FLOAT8,
            Value::Truth(_) => Type::BOOL,
            Value::Text(_) => Type::TEXT,
            Value::Bytes(_) => Type::BYTEA,
            Value::Numbers(_) => Type::INT8_ARRAY,
            Value::Reals(_) => Type::FLOAT4_ARRAY,
            Value::Reals64(_) => Type::FLOAT8_ARRAY,
            Value::Texts(_) => Type::TEXT_ARRAY,
            Value::Blobs(_) => Type::BYTEA_ARRAY,
        }
    }

    /// Text of users, which may hold what PostgreSQL's text may not.
    pub(crate) fn said(text: &str) -> Self {
        Value::Text(Some(kept_text::kept(text).into_owned()))
    }

    /// [`Value::said`], where there may be none.
    pub(crate) fn said_if(text: Option<&str>) -> Self {
        text.map_or(Value::Text(None), Value::said)
    }
}

impl ToSql for Value {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Value::Tenant(Tenant(bytes)) => {
                out.put_slice(bytes);
                Ok(IsNull::No)
            }
            Value::Number(number) => number.to_sql(kind, out),
            Value::Real(number) => number.to_sql(kind, out),
            Value::Truth(truth) => truth.to_sql(kind, out),
            Value::Text(text) => text.to_sql(kind, out),
            Value::Bytes(bytes) => bytes.to_sql(kind, out),
            Value::Numbers(numbers) => numbers.to_sql(kind, out),
            Value::Reals(numbers) => numbers.to_sql(kind, out),
            Value::Reals64(numbers) => numbers.to_sql(kind, out),
            Value::Texts(texts) => texts.to_sql(kind, out),
            Value::Blobs(blobs) => blobs.to_sql(kind, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// A whole number as the database keeps it; none of ours comes near the end of its range.
pub(crate) fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Value::Number(Some(value))
    }
}

impl From<Option<i64>> for Value {
    fn from(value: Option<i64>) -> Self {
        Value::Number(value)
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Value::Number(Some(number(value)))
    }
}

impl From<usize> for Value {
    fn from(value: usize) -> Self {
        Value::from(value as u64)
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Self {
        Value::from(i64::from(value))
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Value::Real(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Value::Truth(value)
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Value::Text(Some(value.to_owned()))
    }
}

impl From<Option<String>> for Value {
    fn from(value: Option<String>) -> Self {
        Value::Text(value)
    }
}

impl From<Vec<u8>> for Value {
    fn from(value: Vec<u8>) -> Self {
        Value::Bytes(value)
    }
}

impl From<&[u8]> for Value {
    fn from(value: &[u8]) -> Self {
        Value::Bytes(value.to_vec())
    }
}

impl From<&[Seq]> for Value {
    fn from(value: &[Seq]) -> Self {
        Value::Numbers(value.iter().map(|seq| number(seq.0)).collect())
    }
}

impl From<Vec<i64>> for Value {
    fn from(value: Vec<i64>) -> Self {
        Value::Numbers(value)
    }
}

impl From<Vec<String>> for Value {
    fn from(value: Vec<String>) -> Self {
        Value::Texts(value)
    }
}

impl From<Vec<Vec<u8>>> for Value {
    fn from(value: Vec<Vec<u8>>) -> Self {
        Value::Blobs(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenant_is_made_from_the_name() {
        let of = |name: &str| Tenant::of(&Namespace::new(name).unwrap());
        assert_eq!(of("me"), of("me"));
        assert_ne!(of("me"), of("you"));
        // sha256sum of "aforesaid namespace:me"
        let digest = Sha256::digest("aforesaid namespace:me");
        assert_eq!(of("me").0[..], digest[..16]);
    }
}

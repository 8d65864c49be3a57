"""Guards of the proxy with a fault: each throws where the proxy calls it."""

from litellm.integrations.custom_guardrail import CustomGuardrail


class InputThrows(CustomGuardrail):
    async def async_pre_call_hook(self, user_api_key_dict, cache, data, call_type):
        raise TypeError("the guard has a fault")


class StreamThrows(CustomGuardrail):
    async def async_post_call_streaming_iterator_hook(self, user_api_key_dict, response, request_data):
        async for _ in response:
            raise TypeError("the guard has a fault")
            yield
